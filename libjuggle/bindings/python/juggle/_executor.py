# SPDX-License-Identifier: BSD-3-Clause
"""The executor: rank 0 sends a function and its items to all ranks, all ranks call it, and rank 0 collects the results."""
import array
import ctypes
import operator
import os
import tempfile
import time
import warnings
from collections.abc import Sequence

from mpi4py import MPI

from . import _kept, _parcel, _steal
from ._library import Error, load

_EXEC = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
_KEY = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p, ctypes.c_void_p)
_POLLS_MAX = 200     # polls of a rank that waits for rank 0, before it naps
_NAP_MAX_S = 0.001
_STOP = -1


def _as_items(iterable):
    """Returns the iterable itself if it is a sequence or an array, otherwise a list of its items."""
    if isinstance(iterable, (Sequence, array.array)) or hasattr(iterable, "__array_interface__"):
        return iterable
    return list(iterable)


def _name_of(function):
    return getattr(function, "__qualname__", None) or repr(function)


def _as_path(path):
    """Returns the path as an absolute str. Raises Error for a bad path, before other ranks get the job."""
    path = os.path.abspath(os.fsdecode(path))
    if "\0" in path:  # the library would read it as the end of the path
        raise Error(f"{path!r} is not a path: it contains a zero byte")
    return path


def _as_chunksize(value):
    try:
        size = operator.index(value)
    except TypeError:
        size = 0
    if not 1 <= size <= _steal.STEAL_BATCH_MAX:
        raise Error(f"chunksize must be 1 to {_steal.STEAL_BATCH_MAX}, not {value}")
    return size


def _check_place(path):
    """Raises Error if no file can be written there: better before the calls than after them."""
    try:
        tempfile.TemporaryFile(dir=os.path.dirname(path)).close()
    except OSError as error:
        raise Error(f"{path}: {os.strerror(error.errno)}") from error


class _Job:
    """One map, as all ranks know it."""

    def __init__(self, function, items, star, chunksize, ledger=None, known=False, keys=None):
        self.function = function
        self.items = items
        self.count = len(items)     # items without a length fail here, before other ranks are told of the job
        self.star = star            # an item is the tuple of arguments
        self.chunksize = chunksize
        self.ledger = ledger        # a path, or None
        self.known = known          # whether that file is there already
        self.keys = keys            # with a ledger: the keys of the items
        self.checkpoint = None      # a path
        self.every_ns = 0           # the interval between checkpoints
        self.limit_ns = None        # with a checkpoint: the time after which the map stops

    @property
    def kind(self):
        """Maps of the same kind share a collection, which is kept unless they have a checkpoint."""
        return self.chunksize, self.keys is not None, self.checkpoint


class Executor:
    """Executes calls on all ranks of a communicator. A rank that has no calls left takes calls from others."""

    def __init__(self, comm=None, *, settings=""):
        """`comm` is a communicator of mpi4py, by default COMM_WORLD. `settings` is a text such as "lifelines=2";
        libjuggle-steal(3) describes it. Collective, as entering the block is."""
        self._library = load()
        self._comm = (MPI.COMM_WORLD if comm is None else comm).Dup()
        self._rank, self._ranks = self._comm.rank, self._comm.size  # also used when the communicator is freed
        self._settings = settings.encode()
        self._collections = {}
        self._runtime = None
        self._job = None
        self._collection = None
        self._stop = False
        self._entered = False
        self._callbacks = (_EXEC(self._execute), _KEY(self._key))
        self._create()

    # ---- the block ----

    def __enter__(self):
        if self._runtime is None or self._entered:
            raise Error("an Executor can be entered only once")
        self._entered = True
        if self._rank != 0:
            self._serve()
        return self

    def __exit__(self, *_):
        if self:
            self._announce(_STOP, 0)
            self._destroy()

    def __bool__(self):
        """True if map() executes calls: on rank 0, within the block."""
        return self._entered and self._runtime is not None and self._rank == 0

    @property
    def failed(self):
        """True if no further map is possible, because a rank lacked memory or MPI failed: leave the block."""
        return self._runtime is not None and self._library.steal_runtime_failed(self._runtime) == 1

    def map(self, function, *iterables, chunksize=1, ledger=None, key=None, checkpoint=None, every=60, limit=None):
        """Returns function(item) of all items, in their order. With several iterables, a call gets one item of each, until the
        shortest one ends.

        All calls are done when this returns. An exception in a call ends the map, and is raised here with its own traceback as
        the cause. A rank executes `chunksize` calls at a time. The durations of calls are written to the file `ledger`; if this
        file exists, the calls are first distributed by it. `key(item)` is a number that identifies an item there, by default its
        index.

        With the file `checkpoint`, results are written as they come, to the file of this name and ".results", and the remaining
        calls are written to the checkpoint every `every` seconds. If the checkpoint exists, the map goes on from it, on any
        number of ranks, also after it was killed or failed. After `limit` seconds, or after stop(), no further call begins, and
        Stopped is raised."""
        if self._job is not None:
            raise Error("a call cannot use map() of the Executor that executes it")
        if not self._entered:
            raise Error("an Executor can map only within its block: with Executor() as e")
        if self._rank != 0:
            return iter(())
        if self._runtime is None:
            raise Error("the Executor's block has ended")
        star = len(iterables) != 1
        items = list(zip(*iterables)) if star else _as_items(iterables[0])
        return iter(self._map(function, items, star, chunksize, ledger, key, checkpoint, every, limit))

    def stop(self):
        """Stops the current map with a checkpoint, or the next one. May be called on any rank, in a call or a signal handler.
        Calls that have begun are finished, the remaining ones are written to the checkpoint, and Stopped is raised on rank 0."""
        self._stop = True
        if self._job is not None and self._job.checkpoint and self._collection:
            self._library.steal_stop(self._collection)

    def starmap(self, function, iterable, **options):
        """Like map(), but calls function(*item)."""
        return self.map(_Starred(function), iterable, **options)

    def _map(self, function, items, star, chunksize, ledger, key, checkpoint, every, limit):
        chunksize = _as_chunksize(chunksize)
        if key is not None and ledger is None:
            raise Error("key does nothing without ledger")
        if checkpoint is not None and ledger is not None:
            raise Error("a map can have a ledger or a checkpoint, not both")
        if limit is not None and checkpoint is None:
            raise Error("limit needs checkpoint: without it the remaining calls would be lost")
        if not 0 <= (limit or 0) < 1e9 or not 0 <= every < 1e9:
            raise Error(f"every and limit must be seconds, 0 or more, not {every} and {limit}")
        keys = None
        if ledger is not None:
            ledger = _as_path(ledger)
            _check_place(ledger)
            keys = array.array("Q", map(key, items) if key else range(len(items)))
        job = _Job(function, items, star, chunksize, ledger, ledger is not None and os.path.exists(ledger), keys)
        if checkpoint is not None:
            job.checkpoint = _as_path(checkpoint)
            job.every_ns = int(every * 1e9)
            job.limit_ns = None if limit is None else int(limit * 1e9)
        try:
            content, buffers = _parcel.pack(job)
        except Exception as error:
            raise Error(f"{_name_of(function)} or its items cannot be sent to other ranks ({error}): a function is sent by its "
                        "name, so it must be defined in a module, not a lambda") from error
        header = self._announce(content.nbytes, len(buffers))
        _parcel.broadcast(self._comm, header, (content, buffers))
        results = self._run(job, None)
        if self._ledger_error is not None:  # only a warning: the results are worth more than the ledger
            warnings.warn(f"the durations of calls are not saved: {self._ledger_error}", RuntimeWarning, stacklevel=3)
        return results

    # ---- the runtime ----

    def _check(self, result, message=None):
        if result < 0:
            text = (message or self._library.steal_message(self._runtime)).decode(errors="replace")
            raise Error(text or os.strerror(-result))
        return result

    def _create(self):
        options, why, runtime = _steal.steal_options(), _steal.steal_error(), ctypes.c_void_p()
        options.size = ctypes.sizeof(options)
        self._check(self._library.steal_options_parse(ctypes.byref(options), self._settings, ctypes.byref(why)), why.message)
        result = self._library.steal_runtime_create(MPI._addressof(self._comm), ctypes.byref(options), ctypes.byref(runtime),
                                                    ctypes.byref(why))
        self._check(result, why.message)
        self._runtime = runtime
        function = ctypes.c_uint32()
        self._check(self._library.steal_function_register(runtime, b"juggle.Executor.map", self._callbacks[0],
                                                          ctypes.byref(function)))
        self._function = function.value

    def _destroy(self):
        for collection in self._collections.values():
            self._library.steal_collection_destroy(collection)
        self._library.steal_runtime_destroy(self._runtime)
        self._runtime = None
        self._comm.Free()

    def _open(self, job):
        """Returns the collection for jobs of this kind, which is created once. Collective."""
        if job.kind in self._collections:
            return self._collections[job.kind]
        properties, why, collection = _steal.steal_properties(), _steal.steal_error(), ctypes.c_void_p()
        properties.size = ctypes.sizeof(properties)
        self._check(self._library.steal_properties_parse(ctypes.byref(properties), self._settings, ctypes.byref(why)),
                    why.message)
        properties.function = self._function
        properties.task_size = 8 if job.keys is None else 16
        properties.batch = job.chunksize
        if job.checkpoint:
            path = os.fsencode(_kept.results_path(job.checkpoint))
            properties.results_path = path
        if job.keys is not None:
            properties.retain = _steal.STEAL_RETENTION_SEEDED
            properties.key = ctypes.cast(self._callbacks[1], ctypes.c_void_p)
        self._check(self._library.steal_collection_create(self._runtime, ctypes.byref(properties), ctypes.byref(collection)))
        self._collections[job.kind] = collection
        return collection

    def _close(self, job):
        collection, self._collection = self._collections.pop(job.kind, None), None
        self._library.steal_collection_destroy(collection)

    # ---- what all ranks do ----

    def _announce(self, size, buffers):
        header = array.array("q", [size, buffers])
        self._comm.Ibcast([header, MPI.INT64_T]).Wait()
        return header

    def _serve(self):
        """Executes jobs until rank 0 leaves the block. While it waits, it yields, then naps, to free its processor."""
        while True:
            header = array.array("q", bytes(16))
            request = self._comm.Ibcast([header, MPI.INT64_T])
            polls, nap_s = 0, 0.00002
            while not request.Test():
                polls += 1
                if polls < _POLLS_MAX:
                    os.sched_yield()
                else:
                    time.sleep(nap_s)
                    nap_s = min(2 * nap_s, _NAP_MAX_S)
            if header[0] == _STOP:
                break
            parcel = _parcel.broadcast(self._comm, header, None)
            try:
                job, error = _parcel.unpack(*parcel), None
            except Exception as caught:  # the module is missing on this rank, or fails
                job, error = None, caught
            self._run(job, error)
        self._destroy()

    def _run(self, job, error):
        """Executes a job together with all ranks. On rank 0, returns the results, or raises the error of any rank."""
        self._done, self._failure, self._stopped, self._ledger_error = {}, None, False, None
        if error is not None:
            self._failure = (-1, error)
        unready = array.array("i", [error is not None])
        self._comm.Allreduce(MPI.IN_PLACE, [unready, MPI.INT], MPI.MAX)
        message = None
        if not unready[0]:
            self._job = job
            try:
                self._process(job)
            except Error as caught:  # raised on all ranks; tasks may be left in the collection
                message = str(caught)
                self._close(job)
            finally:
                self._job = None
        failed = array.array("i", [message is not None or self._failure is not None])
        self._comm.Allreduce(MPI.IN_PLACE, [failed, MPI.INT], MPI.MAX)
        if unready[0] or failed[0]:
            return self._fail(message)
        if not job.checkpoint:
            return self._collect(job.count)
        if self._rank != 0:
            return None
        if self._stopped:
            raise _kept.Stopped(f"stopped before all calls were done: the same map resumes from {job.checkpoint}")
        return _kept.read(job)

    def _process_kept(self, job):
        collection = self._collection = self._open(job)
        goes_on, name = _kept.begin(self._library, collection, job, self._check)
        if not goes_on:
            self._seed_safely(collection, job)
        if self._stop:
            self._library.steal_stop(collection)
        if job.limit_ns is None:
            result = self._library.steal_process(collection)
        else:
            result = self._library.steal_process_for(collection, job.limit_ns)
        self._stopped = self._check(result) == _steal.STEAL_STOPPED
        self._stop = False
        del name  # the library has used it until now
        self._close(job)

    def _seed_safely(self, collection, job):
        try:
            self._seed(collection, job)
        except Error as error:  # raised on this rank alone; the others go on to the collective calls
            self._failure = (-1, error)

    def _process(self, job):
        if job.checkpoint:
            self._process_kept(job)
            return
        collection = self._collection = self._open(job)
        library = self._library
        self._seed_safely(collection, job)
        if job.known:
            self._check(library.steal_ledger_load(collection, os.fsencode(job.ledger)))
            self._check(library.steal_rebalance(collection, None))
        self._check(library.steal_process(collection))
        if job.ledger is not None:
            try:
                self._check(library.steal_ledger_save(collection, os.fsencode(job.ledger)))
            except Error as error:  # raised on all ranks
                self._ledger_error = str(error)

    def _seed(self, collection, job):
        """Seeds calls round-robin over the ranks, the first calls at the head of the deque."""
        mine = range(self._rank, job.count, self._ranks)[::-1]
        if job.keys is None:
            words, tasks = 1, array.array("q", mine)
        else:
            words, tasks = 2, array.array("q", bytes(16 * len(mine)))
            tasks[0::2] = array.array("q", mine)
            keys = array.array("q", [0]) * len(mine)
            memoryview(keys).cast("B").cast("Q")[:] = array.array("Q", (job.keys[index] for index in mine))
            tasks[1::2] = keys
        address, room = tasks.buffer_info()[0], ctypes.c_void_p()
        seeder = self._library.steal_seeder(self._runtime)
        for start in range(0, len(mine), _steal.STEAL_BATCH_MAX):
            count = min(_steal.STEAL_BATCH_MAX, len(mine) - start)
            self._check(self._library.steal_reserve(seeder, collection, count, ctypes.byref(room)))
            ctypes.memmove(room, address + 8 * words * start, 8 * words * count)
            self._library.steal_commit(seeder, collection, count)

    def _execute(self, worker, _local, tasks, count):
        """The library calls this with tasks, which are indexes of items. No exception may leave it."""
        job, done = self._job, self._done
        step = 8 if job.keys is None else 16
        index = -1
        if self._failure is not None:
            self._library.steal_cancel(self._collection)
            return
        try:
            for address in range(tasks, tasks + count * step, step):
                index = ctypes.c_int64.from_address(address).value
                value = job.function(*job.items[index]) if job.star else job.function(job.items[index])
                if job.checkpoint:
                    _kept.keep(self._library, worker, index, value)
                else:
                    done[index] = value
        except BaseException as error:  # includes KeyboardInterrupt and SystemExit, which end the map
            if self._failure is None:
                self._failure = (index, error)
            self._library.steal_cancel(self._collection)

    def _key(self, _local, task):
        return ctypes.c_uint64.from_address(task + 8).value

    # ---- results ----

    def _fail(self, message):
        """On rank 0, raises the exception of the first item that failed on any rank."""
        failure = self._failure and (self._failure[0], *_parcel.pack_exception(self._failure[1]))
        failures = self._comm.gather(failure)
        if self._rank != 0:
            return None
        _, rank = min(((found[0], rank) for rank, found in enumerate(failures) if found), default=(0, None))
        self._done = None
        if rank is None:
            raise Error(message)
        if rank == 0:
            raise self._failure[1]
        raise _parcel.unpack_exception(*failures[rank][1:], rank)

    def _collect(self, count):
        done, self._done = self._done, None
        if self._rank != 0:
            try:
                parcel = _parcel.pack((array.array("q", done.keys()), list(done.values()), None))
            except Exception as error:
                text = f"a result on rank {self._rank} cannot be sent to rank 0: {error}"
                parcel = _parcel.pack(((), (), text))
            return _parcel.send(self._comm, parcel)
        results, found, problem = [None] * count, len(done), None
        for index, value in done.items():
            results[index] = value
        for source in range(1, self._ranks):
            indexes, values, text = _parcel.receive(self._comm, source)
            problem = problem or text
            found += len(indexes)
            for index, value in zip(indexes, values):
                results[index] = value
        if not problem and found < count:
            # Python may call a signal handler when a callback begins, and drops an exception that the handler raises.
            problem = f"{count - found} calls gave no result, because a signal handler raised an exception"
        if problem:
            raise Error(problem)
        return results


class _Starred:
    """A function of an item that calls function(*item), and can be pickled."""

    def __init__(self, function):
        self._function = function

    def __call__(self, item):
        return self._function(*item)
