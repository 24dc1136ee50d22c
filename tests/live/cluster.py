# SPDX-License-Identifier: BSD-3-Clause
"""A Slurm cluster of one node for tests: munge, controller and daemon with a folder of their own."""

import os
import shutil
import socket
import subprocess
import sys
import time

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
TOOLS = ("munged", "mungekey", "slurmctld", "slurmd", "srun", "sinfo")


def skip(reason):
    print(reason)
    sys.exit(77)


def tool(name):
    return shutil.which(name, path="/usr/sbin:/usr/bin:/sbin:/bin")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def await_that(what, seconds=120):
    """Waits until this is true, for longer than any machine takes."""
    for _ in range(seconds * 10):
        value = what()
        if value:
            return value
        time.sleep(0.1)
    return None


def configuration(root, host, port):
    """Returns a slurm.conf that names a plugstack.conf of its own, which may be absent."""
    return f"""ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={root}/munge.socket
CredType=cred/munge
SlurmctldPort={port}
SlurmdPort={free_port()}
SrunPortRange=60001-60100
StateSaveLocation={root}/state
SlurmdSpoolDir={root}/spool
SlurmctldPidFile={root}/slurmctld.pid
SlurmdPidFile={root}/slurmd.pid
SlurmctldLogFile={root}/slurmctld.log
SlurmdLogFile={root}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
MpiDefault=none
ReturnToService=2
PlugStackConfig={root}/plugstack.conf
NodeName={host} NodeAddr=127.0.0.1 CPUs={os.cpu_count()} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES OverSubscribe=FORCE MaxTime=INFINITE State=UP
"""


def is_before(*version):
    told = subprocess.run([tool("slurmctld"), "-V"], capture_output=True, text=True, timeout=30).stdout
    return tuple(int(part) for part in told.split()[1].split(".")[:2]) < version


def start(root):
    """Starts munge, controller and daemon, in this order; returns the processes, or the reason why they do not run."""
    host = socket.gethostname().split(".")[0]
    for name in ("state", "spool"):
        os.mkdir(f"{root}/{name}")
    with open(f"{root}/slurm.conf", "w", encoding="ascii") as conf:
        conf.write(configuration(root, host, free_port()))
    # Newer daemons refuse to start without a control group hierarchy of their own; older ones do not know the setting that
    # allows it.
    if not is_before(23, 11):
        with open(f"{root}/cgroup.conf", "w", encoding="ascii") as conf:
            conf.write("CgroupPlugin=disabled\n")
    subprocess.run([tool("mungekey"), "--create", f"--keyfile={root}/munge.key"], check=True,
                   capture_output=True)
    os.environ["SLURM_CONF"] = f"{root}/slurm.conf"
    processes = []
    log = open(f"{root}/log", "wb")
    for command in (["munged", "--foreground", "--force", f"--key-file={root}/munge.key",
                     f"--socket={root}/munge.socket", f"--pid-file={root}/munge.pid",
                     f"--log-file={root}/munge.log", f"--seed-file={root}/munge.seed"],
                    ["slurmctld", "-D"], ["slurmd", "-D", "-N", host]):
        processes.append(subprocess.Popen([tool(command[0]), *command[1:]], stdout=log, stderr=log))
        time.sleep(1)
    return processes


def node_is_idle():
    told = subprocess.run([tool("sinfo"), "-h", "-o", "%T"], capture_output=True, timeout=30)
    return b"idle" in told.stdout


def need_cluster():
    """Skips the tests if no cluster can be started."""
    missing = [name for name in TOOLS if not tool(name)]
    if os.geteuid() != 0:
        skip("a cluster of one's own needs root")
    if missing:
        skip(f"not installed: {' '.join(missing)}")
    if len(os.sched_getaffinity(0)) < 2:
        skip("one processor: nothing can be balanced")


def await_cluster(root):
    if not await_that(node_is_idle, 60):
        with open(f"{root}/slurmctld.log", encoding="utf-8", errors="replace") as log:
            skip(f"Slurm does not start here: {log.read().strip().splitlines()[-1:]}")
