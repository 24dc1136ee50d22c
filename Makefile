# SPDX-License-Identifier: BSD-3-Clause
# Juggle. `make help` lists the targets, `make config` what was found; `make V=1` shows the commands.
#
# A source file belongs to the room in whose folder it lies, and a file called test_NAME is a test: tools/make/rooms.mk, tests.mk. A
# new program goes into programs.mk.

.DEFAULT_GOAL := all

SAN     ?=
BUILD   ?= build$(if $(SAN),-$(subst $(comma),-,$(SAN)))
PREFIX  ?= /usr/local
DESTDIR ?=
V       ?= 0

comma   := ,

# BUILD is a word of lists and rules, and `clean` removes it. A folder with the sources in it has files of the same names.
USABLE := $(and $(filter 1,$(words $(BUILD))),$(if $(strip $(foreach char,: ~ % ',$(findstring $(char),$(BUILD)))),,1),$(shell \
          build=$$(realpath -m '$(BUILD)'); case "$$(pwd -P)/" in ("$${build%/}"/*) ;; (*) echo 1; esac))
$(if $(USABLE),,$(error BUILD must be a folder without the sources in it, and without blanks and : ~ % ' in its path: BUILD=$(BUILD)))

VERSION := $(shell sed -n 's/.*JUGGLE_VERSION "\(.*\)"/\1/p' libjuggle/ground/version.h)
SOMAJOR := 0
# The version in the names of library files. It begins with the number that the linker asks for, whatever the release.
SOVERSION := $(SOMAJOR).$(VERSION)

BINDIR         ?= $(PREFIX)/bin
SBINDIR        ?= $(PREFIX)/sbin
LIBDIR         ?= $(PREFIX)/lib
PKGCONFIGDIR   ?= $(LIBDIR)/pkgconfig
INCLUDEDIR     ?= $(PREFIX)/include
MANDIR         ?= $(PREFIX)/share/man
COMPLETIONSDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR         ?= $(PREFIX)/share/zsh/site-functions
FISHDIR        ?= $(PREFIX)/share/fish/vendor_completions.d
SYSCONFDIR     ?= /etc
VENDORDIR      ?= $(PREFIX)/lib
UNITDIR        ?= $(PREFIX)/lib/systemd/system
SYSUSERSDIR    ?= $(PREFIX)/lib/sysusers.d
TMPFILESDIR    ?= $(PREFIX)/lib/tmpfiles.d
SLURMDIR       ?= $(LIBDIR)/slurm
PYTHONDIR      ?= $(PREFIX)/lib/python3/dist-packages
TEMPLATE_NAMES := SLURMDIR BINDIR SBINDIR LIBDIR INCLUDEDIR SYSCONFDIR VENDORDIR VERSION SOMAJOR LIBRARY_PACKAGE_LIBS STEAL_PACKAGE_LIBS \
                  INCLUDE_FROM_LIB DEFAULT_FLAVOR DEFAULT_FLAVOR_LIBS openmpi_LIBS mpich_LIBS

include tools/make/libraries.mk

# ---- compiler ------------------------------------------------------------------------------------------------

CC      ?= cc
WARN    := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla
WERROR  ?=
OPT     := $(if $(DEBUG),-Og -g3,$(if $(SAN),-O1 -g1,-O2 -g))
SANFLAG := $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
CFLAGS  ?=
# A thread of a balancer, or of a program that Juggle is loaded into, may have a small stack. Frames are larger with sanitizers, and
# without optimization.
ON_SMALL_STACKS = libjuggle/% juggle/% juggled/% jugglectl/% cli/%
FRAME = $(if $(SAN)$(DEBUG)$(findstring -O0,$(OPT) $(CFLAGS)),,$(if $(filter-out libjuggle/theory/%,$(filter $(ON_SMALL_STACKS),$<)),-Wframe-larger-than=16384))
# -fPIC comes last, so that CFLAGS cannot undo it: any object may become part of a shared library.
ALL_CFLAGS  = -std=gnu17 $(OPT) $(WARN) $(FRAME) $(WERROR) $(SANFLAG) -fvisibility=hidden -pthread -D_GNU_SOURCE \
              -I. $(FEATURES) $(PACKAGE_CFLAGS) $(CFLAGS) -fPIC
ALL_LDFLAGS = $(SANFLAG) -pthread -Wl,--as-needed $(LDFLAGS)

Q   := $(if $(filter 1,$(V)),,@)
say = $(if $(filter 1,$(V)),,@printf '  %-7s %s\n' $(1) $(2))

include tools/make/rooms.mk
include tools/make/programs.mk
include tools/make/tests.mk
include tools/make/slurm.mk
include tools/make/rules.mk
include tools/make/install.mk
include tools/make/check.mk
include tools/make/package.mk
include tools/make/talk.mk
-include $(OBJ:.o=.d)
