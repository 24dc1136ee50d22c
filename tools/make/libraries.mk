# SPDX-License-Identifier: BSD-3-Clause
# Without jansson only the libraries are built. Each other library switches a feature on: HAVE_NAME is 1 or empty here and in C, and
# $(call pick,NAME,with.c,without.c) chooses a source file. HAVE_NAME= on the command line leaves one out.

HAVE_PKGCONF := $(if $(shell command -v pkg-config),1)
have    = $(shell pkg-config --exists $(1) 2>/dev/null && echo 1)
pick    = $(if $(HAVE_$(1)),$(2),$(3))
OPTIONAL := JANSSON HWLOC NL NCURSES SYSTEMD
HAVE_JANSSON  := $(call have,jansson)
HAVE_HWLOC    := $(call have,hwloc)
HAVE_NL       := $(call have,libnl-genl-3.0)
HAVE_NCURSES  := $(call have,ncursesw)
HAVE_SYSTEMD  := $(call have,libsystemd)
HAVE_BLAS     := $(call have,blas lapack)
HAVE_CHECK    := $(call have,check)
HAVE_OPENMPI  := $(call have,ompi-c)
HAVE_MPICH    := $(call have,mpich)
HAVE_LIBOMP   := $(lastword $(wildcard /usr/lib/llvm-*/lib/libomp.so))
HAVE_OMPT     := $(lastword $(wildcard /usr/lib/llvm-*/lib/clang/*/include/omp-tools.h))
HAVE_SLURM    := $(if $(wildcard /usr/include/slurm/spank.h),1)

PACKAGES := $(call pick,JANSSON,jansson) $(call pick,HWLOC,hwloc) $(call pick,NL,libnl-genl-3.0) \
            $(call pick,NCURSES,ncursesw) $(call pick,SYSTEMD,libsystemd)
FEATURES := $(foreach name,$(OPTIONAL),$(call pick,$(name),-DHAVE_$(name)=1))
quiet_includes = $(patsubst -I%,-isystem %,$(1))
PACKAGE_CFLAGS := $(call quiet_includes,$(shell pkg-config --cflags $(PACKAGES) 2>/dev/null))
PACKAGE_LIBS   := $(shell pkg-config --libs $(PACKAGES) 2>/dev/null)
# The libraries that a program needs beside libjuggle.a, and beside libjuggle-steal.a.
LIBRARY_PACKAGE_LIBS := $(shell pkg-config --libs $(call pick,JANSSON,jansson) $(call pick,HWLOC,hwloc) \
                        $(call pick,NL,libnl-genl-3.0) 2>/dev/null)
STEAL_PACKAGE_LIBS   := $(if $(HAVE_JANSSON),$(shell pkg-config --libs jansson))

BLAS_LIBS      := $(if $(HAVE_BLAS),$(shell pkg-config --libs lapack blas))

# Everything that includes <mpi.h> is built once for each MPI; the first one found is the default.
FLAVORS := $(strip $(call pick,OPENMPI,openmpi) $(call pick,MPICH,mpich))
openmpi_CFLAGS := $(call quiet_includes,$(if $(HAVE_OPENMPI),$(shell pkg-config --cflags ompi-c)))
openmpi_LIBS   := $(if $(HAVE_OPENMPI),$(shell pkg-config --libs ompi-c))
mpich_CFLAGS   := $(call quiet_includes,$(if $(HAVE_MPICH),$(shell pkg-config --cflags-only-I mpich)))
mpich_LIBS     := $(if $(HAVE_MPICH),$(shell pkg-config --libs mpich))
DEFAULT_FLAVOR := $(firstword $(FLAVORS))
