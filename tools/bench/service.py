# SPDX-License-Identifier: BSD-3-Clause
"""A juggled of a benchmark's own, and who asks it."""

import contextlib
import json
import os
import socket
import subprocess
import tempfile


class Client:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)

    def call(self, method, parameters=None):
        self.socket.sendall(json.dumps({"method": f"io.juggle.{method}", "parameters": parameters or {}}).encode() + b"\0")
        reply = b""
        while not reply.endswith(b"\0"):
            received = self.socket.recv(1 << 20)
            if not received:
                raise ConnectionError("hung up")
            reply += received
        return json.loads(reply[:-1])


@contextlib.contextmanager
def running(binaries, configuration="", prefix=(), folder=None, **options):
    """The path of its socket, in a folder that all may enter."""
    with tempfile.TemporaryDirectory(prefix="juggle-bench-", dir=folder) as directory:
        os.chmod(directory, 0o755)
        os.mkdir(f"{directory}/etc", 0o755)
        with open(f"{directory}/etc/juggle.conf", "w", encoding="ascii") as conf:
            conf.write(configuration)
        path = f"{directory}/socket"
        service = subprocess.Popen([*prefix, f"{binaries}/juggled", "--socket", path, "--state", f"{directory}/state", "--config",
                                    f"{directory}/etc"], **({"stderr": subprocess.DEVNULL} | options))
        try:
            yield path
        finally:
            service.terminate()
            service.wait()
