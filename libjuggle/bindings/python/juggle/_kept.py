# SPDX-License-Identifier: BSD-3-Clause
"""Maps that go on in another run: the name of the map in its checkpoint, and the results in the file beside the checkpoint."""
import ctypes
import os
import struct

from . import _parcel, _steal
from ._library import Error

_NAME_SIZE = 256
_HEAD = struct.Struct("<QQQ")  # the index of the item, the size of its result, the offset of this piece in it
_PIECE = _steal.STEAL_RESULT_SIZE_MAX - _HEAD.size


class Stopped(Exception):
    """A map with a checkpoint was stopped before all calls were done: the same map() resumes it, in this run or another one."""


def results_path(checkpoint):
    return checkpoint + ".results"


def _name_of(job):
    function = getattr(job.function, "_function", job.function)
    name = f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', repr(function))}"
    return f"{len(job.items)} calls of {name}".encode()[:_NAME_SIZE - 1]


def begin(library, collection, job, check):
    """Returns whether the map goes on from a checkpoint, and the name's buffer, which the library uses until the map ends. Raises
    Error, on all ranks, if the checkpoint is of another map."""
    own = _name_of(job)
    name = ctypes.create_string_buffer(own, _NAME_SIZE)
    settings = _steal.steal_checkpoint()
    settings.size = ctypes.sizeof(settings)
    settings.path = os.fsencode(job.checkpoint)
    settings.every_ns = job.every_ns
    settings.data = ctypes.addressof(name)
    settings.data_size = _NAME_SIZE
    goes_on = check(library.steal_checkpoint(collection, ctypes.byref(settings))) == 1
    if name.value != own:
        theirs, ours = (text.decode(errors="replace") for text in (name.value, own))
        raise Error(f"{job.checkpoint} is the checkpoint of {theirs}, not of {ours}: remove it, or name another file")
    return goes_on, name


def keep(library, worker, index, value):
    """Sends the result of a call to the file. Called within the call's task."""
    try:
        content = _parcel.flatten(value)
    except Exception as error:
        raise Error(f"the result of item {index} cannot be written: {error}") from error
    for start in range(0, len(content), _PIECE):
        piece = _HEAD.pack(index, len(content), start) + content[start:start + _PIECE]
        if library.steal_result(worker, index, piece, len(piece)) < 0:
            raise Error(library.steal_worker_message(worker).decode(errors="replace"))


def read(job):
    """Returns the results of all calls, once all are done. Raises Error if the file is damaged or lacks some."""
    count, path = len(job.items), results_path(job.checkpoint)
    parts, found, results = {}, set(), [None] * count
    with open(path, "rb") as file:
        while head := file.read(_HEAD.size):
            index, size, start = _HEAD.unpack(head)
            length = min(_PIECE, size - start)
            content = parts.setdefault(index, bytearray(size))
            if index >= count or file.readinto(memoryview(content)[start:start + length]) != length:
                raise Error(f"{path} is damaged: it holds the results of {job.checkpoint}")
            if start + length == size:
                results[index] = _parcel.unpack(parts.pop(index), ())
                found.add(index)
    if len(found) < count:
        raise Error(f"{path} lacks {count - len(found)} of {count} results of {job.checkpoint}")
    return results
