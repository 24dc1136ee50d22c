# SPDX-License-Identifier: BSD-3-Clause
"""Shared parts of the tests of juggled: they start their own, call it, and look at masks through /proc."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from live import PATIENCE_S, Result, set_idle_priority, status_field

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
USERS = (65534, 65533)
# Other policies open masks again at once; pins of this one last, so that tests can see them.
PINNING = {"threads": 3, "policy": "static"}


def await_that(what, *arguments, tries=2400):
    """Polls for a minute at least: no test here knows how fast the machine is, and only a hang takes longer."""
    for _ in range(tries):
        value = what(*arguments)
        if value:
            return value
        time.sleep(0.025)
    raise AssertionError(f"{what.__name__} never came true")


class Client:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE_S)
        try:
            self.socket.connect(path)
        except OSError:
            self.socket.close()
            raise
        self.waiting = b""

    def send(self, method, parameters=None, **flags):
        name = method if "." in method else f"io.juggle.{method}"
        call = {"method": name, "parameters": parameters or {}, **flags}
        self.socket.sendall(json.dumps(call).encode() + b"\0")

    def reply(self):
        while b"\0" not in self.waiting:
            received = self.socket.recv(65536)
            if not received:
                raise ConnectionError("hung up")
            self.waiting += received
        message, self.waiting = self.waiting.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, parameters=None):
        self.send(method, parameters)
        return self.reply()

    def close(self):
        self.socket.close()


def masks(pid):
    found = {}
    for tid in os.listdir(f"/proc/{pid}/task"):
        try:
            found[int(tid)] = os.sched_getaffinity(int(tid))
        except OSError:
            pass
    return found


def start_ticks(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
        return int(stat.read().rsplit(")", 1)[1].split()[19])


class ServiceTest(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="juggle-service-")
        os.chmod(self.dir, 0o755)
        os.mkdir(f"{self.dir}/etc")
        os.chmod(f"{self.dir}/etc", 0o755)
        self.path = f"{self.dir}/socket"
        self.log = open(f"{self.dir}/log", "w+", encoding="utf-8")
        self.children = []
        self.daemon = None

    def tearDown(self):
        for child in self.children + [self.daemon]:
            if child and child.poll() is None:
                child.kill()
            if child:
                child.wait()
        self.log.close()
        shutil.rmtree(self.dir)

    def start(self, prefix=(), options=(), program="juggled"):
        self.daemon = subprocess.Popen(
            [*prefix, f"{BUILD}/bin/{program}", "--socket", self.path, "--state", f"{self.dir}/state",
             "--config", f"{self.dir}/etc", "--vendor-config", f"{self.dir}/usr", *options],
            stderr=self.log)
        await_that(self.answers)

    def configure(self, text):
        with open(f"{self.dir}/etc/juggle.conf", "w", encoding="utf-8") as conf:
            conf.write(text)

    def listens(self):
        try:
            client = Client(self.path)
        except OSError:
            return False
        client.close()
        return True

    def answers(self):
        """True if it answers calls. It listens before it has read its configuration, so it may still close a connection."""
        try:
            self.call("Jobs")
        except OSError:
            return False
        return True

    @contextlib.contextmanager
    def asleep(self):
        """Stops the service meanwhile: it sees all that has happened at once, and repairs nothing in between."""
        self.daemon.send_signal(signal.SIGSTOP)
        await_that(lambda: status_field(self.daemon.pid, "State").startswith("T"))
        try:
            yield
        finally:
            self.daemon.send_signal(signal.SIGCONT)

    def logged(self):
        with open(f"{self.dir}/log", encoding="utf-8") as log:
            return log.read()

    def ubench(self, name="ubench"):
        """Returns a copy of its own, so that a rule that matches it matches no program of a test beside this one."""
        path = f"{self.dir}/{name}"
        if not os.path.exists(path):
            shutil.copy(f"{BUILD}/bin/ubench", path)
        return path

    def workload(self, threads=3, user=None, program=f"{BUILD}/bin/ubench", idle=True):
        def become():
            if user:
                os.setgroups([])
                os.setresgid(user, user, user)
                os.setresuid(user, user, user)
        if user and program == f"{BUILD}/bin/ubench":
            program = self.ubench()  # in a folder that the user may enter
        # The work of a phase is given: to measure it beside load would take as long as everything else.
        child = subprocess.Popen([program, "-n", str(threads), "-k", "100000", "--iterations", str(10**7)],
                                 stdout=subprocess.DEVNULL, preexec_fn=become)
        self.children.append(child)
        await_that(lambda: len(masks(child.pid)) >= threads, tries=4000)
        if idle:
            set_idle_priority(child.pid)
        return child.pid

    def call(self, method, parameters=None):
        client = Client(self.path)
        try:
            return client.call(method, parameters)
        finally:
            client.close()

    def as_user(self, user, method, parameters=None, groups="--clear-groups"):
        """Returns the answer that another user gets: a process of that user asks."""
        code = ("import json,socket,sys;s=socket.socket(socket.AF_UNIX);s.connect(sys.argv[1]);"
                "s.sendall(sys.argv[2].encode()+b'\\0');b=b''\n"
                "while not b.endswith(b'\\0'): b+=s.recv(65536)\n"
                "print(b[:-1].decode())")
        message = json.dumps({"method": f"io.juggle.{method}", "parameters": parameters or {}})
        out = subprocess.run(["setpriv", f"--reuid={user}", f"--regid={user}", groups,
                              sys.executable, "-c", code, self.path, message],
                             check=True, capture_output=True, timeout=60)
        return json.loads(out.stdout)

    def balanced(self, job):
        jobs = {each["job"]: each for each in self.call("Jobs")["parameters"]["jobs"]}
        return job in jobs and jobs[job]["state"] == "balancing" and jobs[job]["rounds_count"] > 5

    def pinned(self, pid):
        return all(len(mask) == 1 for mask in masks(pid).values())

    def free(self, pid):
        return all(mask == os.sched_getaffinity(0) for mask in masks(pid).values())


class UserTest(ServiceTest):
    """Calls Balance as one user among others."""

    def balance(self, pid, name, **settings):
        return self.as_user(USERS[0], "Balance", {"pid": pid, "name": name, "settings": settings})


def main():
    if not os.path.exists(f"{BUILD}/bin/juggled"):
        print("juggled is not built")
        sys.exit(77)
    if os.sysconf("SC_NPROCESSORS_ONLN") < 2 or len(os.sched_getaffinity(0)) < 2:
        print("one processor: nothing can be balanced")
        sys.exit(77)
    unittest.main(testRunner=unittest.TextTestRunner(resultclass=Result, verbosity=2))
