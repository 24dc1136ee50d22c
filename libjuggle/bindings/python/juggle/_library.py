# SPDX-License-Identifier: BSD-3-Clause
"""Finds the stealing runtime for the MPI of mpi4py, and declares its functions."""
import ctypes
import os

from mpi4py import MPI

from . import _paths, _steal

# The names that the MPIs give themselves, and the folders of our libraries for them.
FLAVORS = {"Open MPI": "openmpi", "MPICH": "mpich"}
VARIABLE = "JUGGLE_STEAL_LIBRARY"


class Error(RuntimeError):
    """Says in one line what went wrong, and the remedy if there is one."""


def _flavor_of(path):
    """Returns the MPI that the library is for: only a library for Open MPI refers to objects of Open MPI."""
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError as error:
        raise Error(f"{path}: {error.strerror}: set {VARIABLE} to another libjuggle-steal.so.0") from None
    if b"steal_runtime_create" not in content:
        raise Error(f"{path} is not libjuggle-steal: set {VARIABLE} to its path")
    return "openmpi" if b"ompi_mpi_comm_world" in content else "mpich"


def _path_for(vendor):
    """Returns the path of the library for this MPI. Raises Error for any other library before it is
    loaded, because that would load a second MPI, too."""
    flavor = FLAVORS.get(vendor)
    if flavor is None:
        raise Error(f"there is no libjuggle-steal for {vendor}, which mpi4py uses: install an mpi4py for Open MPI or MPICH")
    path = os.environ.get(VARIABLE) or os.path.join(_paths.LIBRARIES, flavor, "libjuggle-steal.so.0")
    found = _flavor_of(path)
    if found != flavor:
        names = {name: vendor for vendor, name in FLAVORS.items()}
        raise Error(f"{path} is for {names[found]}, but mpi4py uses {vendor}: set {VARIABLE} to the libjuggle-steal for {vendor}")
    return path


def load():
    library = ctypes.CDLL(_path_for(MPI.get_vendor()[0]))
    for name, (result, arguments) in _steal.FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise Error(f"{library._name} lacks {name}: it is older than this package") from None
        function.restype = result
        function.argtypes = arguments
    return library


def version():
    """Returns the version of the library that is used."""
    return load().steal_version().decode()
