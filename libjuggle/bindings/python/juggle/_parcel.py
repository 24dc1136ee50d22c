# SPDX-License-Identifier: BSD-3-Clause
"""Sends Python objects: a pickle, and the bytes of large buffers separately, as they lie in memory."""
import array
import copyreg
import io
import pickle
import traceback

from mpi4py import MPI

PIECE = 1 << 30  # the most bytes of one message, because MPI counts them in an int
SMALL = 4096     # a buffer of fewer bytes is copied into the pickle instead of having a message of its own


class TaskError(RuntimeError):
    """Stands for an exception of another rank that cannot be pickled."""


class RemoteTraceback(Exception):
    """The cause of an exception of another rank: its traceback there."""

    def __init__(self, text):
        super().__init__(text)
        self.text = text

    def __str__(self):
        return "\n" + self.text


def _rebuild_array(typecode, content):
    result = array.array(typecode)
    result.frombytes(content)
    return result


def _reduce_array(value):
    return _rebuild_array, (value.typecode, pickle.PickleBuffer(memoryview(value).cast("B") if value else b""))


class _Pickler(pickle.Pickler):
    dispatch_table = copyreg.dispatch_table.copy()
    dispatch_table[array.array] = _reduce_array


def pack(value):
    """Returns the pickle of a value, and its large buffers."""
    buffers = []

    def keep(buffer):
        content = buffer.raw()
        if content.nbytes < SMALL:
            return True
        buffers.append(content)
        return False

    file = io.BytesIO()
    _Pickler(file, protocol=5, buffer_callback=keep).dump(value)
    return file.getbuffer(), buffers


def flatten(value):
    """Returns the value in one pickle, including its buffers."""
    file = io.BytesIO()
    _Pickler(file, protocol=5).dump(value)
    return file.getvalue()


def unpack(content, buffers):
    return pickle.loads(content, buffers=buffers)


def _pieces(content):
    view = memoryview(content)
    for start in range(0, view.nbytes, PIECE):
        yield [view[start:start + PIECE], MPI.BYTE]


def broadcast(comm, header, parcel):
    """Broadcasts a parcel from rank 0 and returns it. All ranks have its header: the pickle's size and the number of buffers."""
    sizes = array.array("q", [buffer.nbytes for buffer in parcel[1]] if parcel else bytes(8 * header[1]))
    if sizes:
        comm.Bcast([sizes, MPI.INT64_T])
    content, buffers = parcel or (bytearray(header[0]), [bytearray(size) for size in sizes])
    for part in (content, *buffers):
        for piece in _pieces(part):
            comm.Bcast(piece)
    return content, buffers


def send(comm, parcel):
    """Sends a parcel to rank 0."""
    content, buffers = parcel
    comm.Send([array.array("q", [content.nbytes, len(buffers)]), MPI.INT64_T], 0)
    if buffers:
        comm.Send([array.array("q", [buffer.nbytes for buffer in buffers]), MPI.INT64_T], 0)
    for part in (content, *buffers):
        for piece in _pieces(part):
            comm.Send(piece, 0)


def receive(comm, source):
    header = array.array("q", bytes(16))
    comm.Recv([header, MPI.INT64_T], source)
    sizes = array.array("q", bytes(8 * header[1]))
    if sizes:
        comm.Recv([sizes, MPI.INT64_T], source)
    content, buffers = bytearray(header[0]), [bytearray(size) for size in sizes]
    for part in (content, *buffers):
        for piece in _pieces(part):
            comm.Recv(piece, source)
    return unpack(content, buffers)


# ---- exceptions ----

def pack_exception(error):
    """Returns the pickle of an exception, and its traceback as text. A TaskError replaces an exception that cannot be pickled."""
    text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    try:
        content = pickle.dumps(error)
        pickle.loads(content)
    except Exception:  # the exception's own code may raise anything
        content = pickle.dumps(TaskError(f"{type(error).__name__}: {error}"))
    return content, text


def unpack_exception(content, text, rank):
    error = pickle.loads(content)
    error.__cause__ = RemoteTraceback(f"on rank {rank}:\n{text}")
    return error
