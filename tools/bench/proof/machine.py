# SPDX-License-Identifier: BSD-3-Clause
"""Reads the properties of the machine on which times may depend."""

import glob
import gzip
import os
import platform
import re
import shutil
import subprocess
import time

LIBRARIES = ("libc6", "libgomp1", "libomp5", "libomp5-14", "libopenmpi3", "libmpich12", "libopenblas0-pthread", "libopenblas0-serial", "libdlb")


def text_of(path, default=None):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return default


def kernel_config():
    """Returns the text of the kernel's configuration, or '' if it cannot be read."""
    try:
        with gzip.open("/proc/config.gz", "rt") as file:
            return file.read()
    except OSError:
        return text_of(f"/boot/config-{platform.release()}", "")


def preemption(config):
    now = text_of("/sys/kernel/debug/sched/preempt", "")
    if match := re.search(r"\((\w+)\)", now):
        return match[1]
    match = re.search(r"CONFIG_PREEMPT_(NONE|VOLUNTARY|LAZY|RT)=y|CONFIG_PREEMPT=y", config)
    return "unknown" if not match else (match[1] or "full").lower()


def control_groups():
    """Yields the folders of this process's control groups, from its own one upward, in both versions."""
    for line in text_of("/proc/self/cgroup", "").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers not in ("", "cpu", "cpu,cpuacct", "cpuacct,cpu"):
            continue
        mounts = ["/sys/fs/cgroup"] if not controllers else ["/sys/fs/cgroup/" + name for name in (controllers, "cpu")]
        while True:
            yield from (mount + path for mount in mounts)
            if path in ("/", ""):
                break
            path = os.path.dirname(path)


def quota():
    """Returns how many processors the quotas of control groups allow, or None without a quota."""
    quotas = []
    for folder in control_groups():
        limit, period = (text_of(f"{folder}/cpu.max", "max 100000") + " 0").split()[:2]
        if limit != "max":
            quotas.append(int(limit) / int(period))
        limit = int(text_of(f"{folder}/cpu.cfs_quota_us", "-1"))
        if limit > 0:
            quotas.append(limit / int(text_of(f"{folder}/cpu.cfs_period_us", "100000")))
    return min(quotas, default=None)


def kinds(processors):
    """Returns {kind: its processors, or how many}: by Intel's kinds of cores, the kernel's capacities, or maximum frequencies."""
    if os.path.exists("/sys/devices/cpu_core/cpus"):
        return {"core": text_of("/sys/devices/cpu_core/cpus"), "atom": text_of("/sys/devices/cpu_atom/cpus", "")}
    for name in ("cpu_capacity", "cpufreq/cpuinfo_max_freq"):
        found = {}
        for cpu in processors:
            found.setdefault(text_of(f"/sys/devices/system/cpu/cpu{cpu}/{name}"), []).append(cpu)
        if None not in found and len(found) > 1:
            return {f"{name.split('/')[-1]} {value}": len(cpus) for value, cpus in found.items()}
    return {"equal": len(processors)}


def virtualization():
    if shutil.which("systemd-detect-virt"):
        done = subprocess.run(["systemd-detect-virt"], capture_output=True, text=True, check=False)
        return done.stdout.strip() or "unknown"
    return "a hypervisor" if "hypervisor" in text_of("/proc/cpuinfo", "") else "none seen"


def stolen_share():
    """Returns the share of all processor time since boot that the host took."""
    fields = list(map(int, text_of("/proc/stat", "cpu 1 0 0 0 0 0 0 0").splitlines()[0].split()[1:9]))
    return fields[7] / max(1, sum(fields))


def libraries():
    found = {}
    if not shutil.which("dpkg-query"):
        return {"libc": " ".join(platform.libc_ver())}
    done = subprocess.run(["dpkg-query", "-W", "-f", "${Package} ${Version} ${db:Status-Status}\n", *LIBRARIES],
                          capture_output=True, text=True, check=False)
    for line in done.stdout.splitlines():
        name, *version = line.split()
        if version[-1:] == ["installed"]:
            found[name] = version[0]
    return found


def model():
    match = re.search(r"^model name\s*: (.*)$", text_of("/proc/cpuinfo", ""), re.M)
    return match[1] if match else platform.machine()


def siblings(processors):
    return any(re.search(r"[,-]", text_of(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list", ""))
               for cpu in processors)


def facts():
    processors, config = sorted(os.sched_getaffinity(0)), kernel_config()
    ticks = re.search(r"CONFIG_HZ=(\d+)", config)
    base_slice = text_of("/sys/kernel/debug/sched/base_slice_ns")
    memory = re.search(r"MemTotal:\s*(\d+)", text_of("/proc/meminfo", ""))
    return {
        "model": model(), "processors": len(processors), "online": os.cpu_count(), "kinds": kinds(processors),
        "smt": siblings(processors), "numa_nodes": len(glob.glob("/sys/devices/system/node/node[0-9]*")) or 1,
        "governor": text_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "none to be seen"),
        "kernel": platform.release(), "hz": int(ticks[1]) if ticks else None, "preemption": preemption(config),
        "base_slice_ns": int(base_slice) if base_slice else None, "quota": quota(), "virtualization": virtualization(),
        "stolen_share": round(stolen_share(), 4), "memory_mib": int(memory[1]) // 1024 if memory else None,
        "libraries": libraries(), "user": "root" if os.geteuid() == 0 else "ordinary",
        "date": time.strftime("%Y-%m-%d"), "seen": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }


def identity(found):
    """Returns the facts that must not change between commands that measure into one file."""
    return {key: found.get(key) for key in ("model", "processors", "kernel")}
