# SPDX-License-Identifier: BSD-3-Clause
"""Work stealing over MPI: a map whose calls are distributed over the ranks of a communicator.

    from juggle import Executor

    def f(item): ...

    with Executor() as e:          # all ranks; None or a communicator of mpi4py
        for result in e.map(f, items):
            print(result)

Rank 0 runs the block, and executes calls like all other ranks. The other ranks execute calls until rank 0 has left the block.
Then they run the block, too, with an executor that is false and whose maps are empty: use `if e:` for code that only rank 0
should run.
"""
from ._executor import Executor
from ._kept import Stopped
from ._library import Error, version
from ._parcel import RemoteTraceback, TaskError

__all__ = ["Error", "Executor", "RemoteTraceback", "Stopped", "TaskError", "version"]
