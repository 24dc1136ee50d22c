# SPDX-License-Identifier: BSD-3-Clause
"""Work stealing over MPI: a map whose calls the ranks of a communicator share out.

    from juggle import Executor

    def f(item): ...

    with Executor() as e:          # all ranks; None or a communicator of mpi4py
        for result in e.map(f, items):
            print(result)

Rank 0 goes through the block, and executes calls like all others. The other ranks execute calls until rank 0 has left it, then
go through it, too, with an executor that is false and whose maps are empty: `if e:` is for what rank 0 alone is to do.
"""
from ._executor import Executor
from ._kept import Stopped
from ._library import Error, version
from ._parcel import RemoteTraceback, TaskError

__all__ = ["Error", "Executor", "RemoteTraceback", "Stopped", "TaskError", "version"]
