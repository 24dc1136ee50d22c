# SPDX-License-Identifier: BSD-3-Clause
"""How Python objects travel: a pickle, and beside it the bytes of large buffers as they lie in memory."""
import array
import copyreg
import io
import pickle
import traceback

from mpi4py import MPI

PIECE = 1 << 30  # bytes of one message: MPI counts them in an int
SMALL = 4096     # a buffer of fewer bytes is copied into the pickle instead of having a message of its own


class TaskError(RuntimeError):
    """Stands for an exception of another rank that cannot be pickled."""


class RemoteTraceback(Exception):
    """Why an exception came from another rank: its traceback there."""

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
    """The pickle and its buffers."""
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
    """All in one pickle."""
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
    """The rest of a parcel, of which all ranks have the header: bytes of the pickle, and how many buffers."""
    sizes = array.array("q", [buffer.nbytes for buffer in parcel[1]] if parcel else bytes(8 * header[1]))
    if sizes:
        comm.Bcast([sizes, MPI.INT64_T])
    content, buffers = parcel or (bytearray(header[0]), [bytearray(size) for size in sizes])
    for part in (content, *buffers):
        for piece in _pieces(part):
            comm.Bcast(piece)
    return content, buffers


def send(comm, parcel):
    """To rank 0."""
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
    """The exception and its traceback, or what they say where they cannot travel."""
    text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    try:
        content = pickle.dumps(error)
        pickle.loads(content)
    except Exception:  # whatever the exception's own code raises
        content = pickle.dumps(TaskError(f"{type(error).__name__}: {error}"))
    return content, text


def unpack_exception(content, text, rank):
    error = pickle.loads(content)
    error.__cause__ = RemoteTraceback(f"on rank {rank}:\n{text}")
    return error
