# SPDX-License-Identifier: BSD-3-Clause
# Juggle. `make help` lists the targets, `make config` what was found; `make V=1` shows the commands.
#
# Every source file is named below. A new file goes into the list of its room; a new program or test is one line.

SAN     ?=
BUILD   ?= build$(if $(SAN),-$(subst $(comma),-,$(SAN)))
PREFIX  ?= /usr/local
DESTDIR ?=
V       ?= 0

comma   := ,
VERSION := $(shell sed -n 's/.*JUGGLE_VERSION "\(.*\)"/\1/p' tools/cli/version.h)
SOMAJOR := 0

BINDIR      ?= $(PREFIX)/bin
SBINDIR     ?= $(PREFIX)/sbin
LIBDIR      ?= $(PREFIX)/lib
INCLUDEDIR  ?= $(PREFIX)/include
MANDIR      ?= $(PREFIX)/share/man
COMPLETIONS ?= $(PREFIX)/share/bash-completion/completions

# ---- libraries of the field ----------------------------------------------------------------------------------
# jansson is required. Each other one switches a feature on: HAVE_NAME is 1 or empty here and in C, and
# $(call pick,NAME,with.c,without.c) chooses a source file. HAVE_NAME= on the command line leaves one out.

have    = $(shell pkg-config --exists $(1) 2>/dev/null && echo 1)
pick    = $(if $(HAVE_$(1)),$(2),$(3))
OPTIONAL := HWLOC NL NUMA NCURSES SYSTEMD INIH CAPNG
HAVE_JANSSON  := $(call have,jansson)
HAVE_HWLOC    := $(call have,hwloc)
HAVE_NL       := $(call have,libnl-genl-3.0)
HAVE_NUMA     := $(call have,numa)
HAVE_NCURSES  := $(call have,ncursesw)
HAVE_SYSTEMD  := $(call have,libsystemd)
HAVE_INIH     := $(call have,inih)
HAVE_CAPNG    := $(call have,libcap-ng)
HAVE_CHECK    := $(call have,check)
HAVE_OPENMPI  := $(call have,ompi-c)
HAVE_MPICH    := $(call have,mpich)
HAVE_LIBOMP   := $(lastword $(wildcard /usr/lib/llvm-*/lib/libomp.so))

PACKAGES := jansson $(call pick,HWLOC,hwloc) $(call pick,NL,libnl-genl-3.0) $(call pick,NUMA,numa) \
            $(call pick,NCURSES,ncursesw) $(call pick,SYSTEMD,libsystemd) $(call pick,INIH,inih) \
            $(call pick,CAPNG,libcap-ng)
FEATURES := $(foreach name,$(OPTIONAL),$(call pick,$(name),-DHAVE_$(name)=1))
quiet_includes = $(patsubst -I%,-isystem %,$(1))
PACKAGE_CFLAGS := $(call quiet_includes,$(shell pkg-config --cflags $(PACKAGES) 2>/dev/null))
PACKAGE_LIBS   := $(shell pkg-config --libs $(PACKAGES) 2>/dev/null)

# Everything that includes <mpi.h> is built once for each MPI; the first one found is the default.
FLAVORS := $(call pick,OPENMPI,openmpi) $(call pick,MPICH,mpich)
openmpi_CFLAGS := $(call quiet_includes,$(call pick,OPENMPI,$(shell pkg-config --cflags ompi-c)))
openmpi_LIBS   := $(call pick,OPENMPI,$(shell pkg-config --libs ompi-c))
mpich_CFLAGS   := $(call quiet_includes,$(call pick,MPICH,$(shell pkg-config --cflags-only-I mpich)))
mpich_LIBS     := $(call pick,MPICH,$(shell pkg-config --libs mpich))
DEFAULT_FLAVOR := $(firstword $(FLAVORS))

# ---- compiler ------------------------------------------------------------------------------------------------

CC      ?= cc
WARN    := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla
WERROR  ?=
OPT     := $(if $(DEBUG),-Og -g3,-O2 -g)
SANFLAG := $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
CFLAGS  ?=
ALL_CFLAGS  = -std=gnu17 $(OPT) $(WARN) $(WERROR) $(SANFLAG) -fPIC -fvisibility=hidden -pthread -D_GNU_SOURCE \
              -I. $(FEATURES) $(PACKAGE_CFLAGS) $(CFLAGS)
ALL_LDFLAGS = $(SANFLAG) -pthread -Wl,--as-needed $(LDFLAGS)

Q   := $(if $(filter 1,$(V)),,@)
say = $(if $(filter 1,$(V)),,@printf '  %-7s %s\n' $(1) $(2))

# ---- rooms: all that programs and tests link with ----------------------------------------------------------------
# A program's own logic is a room too, so that tests reach it; only its main file stands in NAME_SRC.

POLICY_SRC := libjuggle/policy/machine.c libjuggle/policy/prng.c

ENGINE_SRC :=

LINUX_SRC :=

STEAL_SRC :=

CLI_SRC := tools/cli/options.c

SIM_SRC :=

UBENCH_SRC := tools/ubench/barrier.c tools/ubench/crew.c tools/ubench/ledger.c tools/ubench/member.c tools/ubench/omp.c \
              tools/ubench/pinning.c tools/ubench/report.c tools/ubench/settings.c tools/ubench/work.c
tools/ubench/omp_CFLAGS := -fopenmp

CORE_SRC = $(POLICY_SRC) $(ENGINE_SRC) $(LINUX_SRC) $(STEAL_SRC) $(CLI_SRC) $(SIM_SRC) $(UBENCH_SRC)

# ---- public libraries: what implements libjuggle/juggle.h and libjuggle/steal.h ----------------------------------

API_SRC       :=
STEAL_MPI_SRC :=
HEADERS       :=

# ---- programs: NAME_SRC and NAME_LIBS; MPI programs exist once per flavor, as NAME.openmpi and NAME.mpich --------
# LOCAL_PROGRAMS stay in $(BUILD)/bin; all others are installed and have a page in man/.

PROGRAMS       := ubench
LOCAL_PROGRAMS := $(call pick,LIBOMP,ubench-libomp)
MPI_PROGRAMS   := ubench-mpi

ubench_SRC  := tools/ubench/main.c
ubench_LIBS := -fopenmp

# The same program on the other OpenMP runtime, which serves GNU's entry points too.
ubench-libomp_SRC  := tools/ubench/main.c
ubench-libomp_LIBS := $(HAVE_LIBOMP)

ubench-mpi_SRC := tools/ubench/mpi.c

# ---- tests: one C file each, linked with everything; scripts are run as they are ---------------------------------
# TEST_PROGRAMS and MPI_TEST_PROGRAMS are built for scripts to run: $BUILD/tests/live/NAME, $BUILD/tests/mpi/NAME.mpich.

UNIT_TESTS        := tests/unit/test_prng.c tests/unit/test_options.c
SIM_TESTS         :=
LIVE_TESTS        :=
SCRIPT_TESTS      :=
TEST_LIB_SRC      :=
TEST_PROGRAMS     :=
MPI_TEST_PROGRAMS :=

# ---- pages -------------------------------------------------------------------------------------------------------

MAN_PAGES :=

# ---- what comes out ----------------------------------------------------------------------------------------------

obj        = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
flavor_obj = $(patsubst %.c,$(BUILD)/obj/$(1)/%.o,$(2))
flavored   = $(foreach flavor,$(FLAVORS),$(addsuffix .$(flavor),$(1)))
# A library's three names: the file, the one that programs ask for, the one that the linker asks for.
so_names   = $(1).so.$(VERSION) $(1).so.$(SOMAJOR) $(1).so

CORE     := $(BUILD)/lib/libjuggle-core.a
TEST_LIB := $(if $(TEST_LIB_SRC),$(BUILD)/lib/libjuggle-test.a)
BIN      := $(addprefix $(BUILD)/bin/,$(PROGRAMS) $(LOCAL_PROGRAMS) $(call flavored,$(MPI_PROGRAMS)) \
            $(if $(FLAVORS),$(MPI_PROGRAMS)))
LIB      := $(if $(API_SRC),$(addprefix $(BUILD)/lib/,$(call so_names,libjuggle) libjuggle.a)) \
            $(if $(STEAL_MPI_SRC),$(foreach flavor,$(FLAVORS),$(addprefix $(BUILD)/lib/$(flavor)/, \
            $(call so_names,libjuggle-steal) libjuggle-steal.a)))

test_bin  = $(patsubst tests/%.c,$(BUILD)/tests/%,$(1))
CORE_TEST_BIN  := $(call test_bin,$(UNIT_TESTS) $(SIM_TESTS))
LIVE_TEST_BIN  := $(call test_bin,$(LIVE_TESTS))
HELPER_BIN     := $(call test_bin,$(TEST_PROGRAMS)) $(call flavored,$(call test_bin,$(MPI_TEST_PROGRAMS)))

ALL_SRC  := $(sort $(CORE_SRC) $(API_SRC) $(foreach name,$(PROGRAMS) $(LOCAL_PROGRAMS),$($(name)_SRC)) \
            $(UNIT_TESTS) $(SIM_TESTS) $(LIVE_TESTS) $(TEST_LIB_SRC) $(TEST_PROGRAMS))
MPI_SRC  := $(sort $(STEAL_MPI_SRC) $(foreach name,$(MPI_PROGRAMS),$($(name)_SRC)) $(MPI_TEST_PROGRAMS))
OBJ      := $(call obj,$(ALL_SRC)) $(foreach flavor,$(FLAVORS),$(call flavor_obj,$(flavor),$(MPI_SRC)))

all: $(BIN) $(LIB) $(CORE) ## build programs, libraries (the default)

# ---- rules -------------------------------------------------------------------------------------------------------

# Objects depend on this file, which changes only when the flags do.
$(BUILD)/flags: FORCE
	$(Q)mkdir -p $(@D); echo '$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS)' | cmp -s - $@ || \
	    echo '$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS)' >$@

$(BUILD)/obj/%.o: %.c $(BUILD)/flags
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $($*_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/lib/%.a: Makefile
	$(call say,AR,$@)
	$(Q)mkdir -p $(@D) && rm -f $@ && $(AR) rcs $@ $(filter %.o,$^)

$(BUILD)/lib/%.so.$(VERSION):
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D) && $(CC) -shared $(ALL_LDFLAGS) $(if $(SAN),,-Wl$(comma)-z$(comma)defs) \
	    -Wl,-soname,$(notdir $*).so.$(SOMAJOR) -Wl,--version-script=$(filter %.map,$^) \
	    -o $@ $(filter %.o,$^) $(SO_LIBS) $(PACKAGE_LIBS) -lm

%.so.$(SOMAJOR) %.so: %.so.$(VERSION)
	$(Q)ln -sf $(<F) $*.so.$(SOMAJOR) && ln -sf $(<F) $*.so

LIBJUGGLE_OBJ := $(call obj,$(API_SRC) $(ENGINE_SRC) $(LINUX_SRC) $(POLICY_SRC))
$(CORE): $(call obj,$(CORE_SRC) $(API_SRC))
$(TEST_LIB): $(call obj,$(TEST_LIB_SRC))
$(BUILD)/lib/libjuggle.a: $(LIBJUGGLE_OBJ)
$(BUILD)/lib/libjuggle.so.$(VERSION): $(LIBJUGGLE_OBJ) libjuggle/libjuggle.map

define flavor_rules
$(BUILD)/obj/$(1)/%.o: %.c $(BUILD)/flags
	$$(call say,CC,$$<' ($(1))')
	$(Q)mkdir -p $$(@D) && $(CC) $(ALL_CFLAGS) $$($$*_CFLAGS) $($(1)_CFLAGS) -MMD -MP -c -o $$@ $$<

$(BUILD)/lib/$(1)/libjuggle-steal.a: $(call flavor_obj,$(1),$(STEAL_MPI_SRC)) $(call obj,$(STEAL_SRC) $(POLICY_SRC))
$(BUILD)/lib/$(1)/libjuggle-steal.so.$(VERSION): SO_LIBS = $($(1)_LIBS)
$(BUILD)/lib/$(1)/libjuggle-steal.so.$(VERSION): $(call flavor_obj,$(1),$(STEAL_MPI_SRC)) \
    $(call obj,$(STEAL_SRC) $(POLICY_SRC)) libjuggle/libjuggle-steal.map

$(BUILD)/tests/%.$(1): $(BUILD)/obj/$(1)/tests/%.o $(BUILD)/lib/$(1)/libjuggle-steal.a $(CORE)
	$$(call say,LINK,$$@)
	$(Q)mkdir -p $$(@D) && $(CC) $(ALL_LDFLAGS) -o $$@ $$^ $($(1)_LIBS) $(PACKAGE_LIBS) -lm
endef
$(foreach flavor,$(FLAVORS),$(eval $(call flavor_rules,$(flavor))))

define program_rule
$(BUILD)/bin/$(1): $(call obj,$($(1)_SRC)) $(CORE)
	$$(call say,LINK,$$@)
	$(Q)mkdir -p $$(@D) && $(CC) $(ALL_LDFLAGS) -o $$@ $$^ $($(1)_LIBS) $(PACKAGE_LIBS) -lm
endef
$(foreach name,$(PROGRAMS) $(LOCAL_PROGRAMS),$(eval $(call program_rule,$(name))))

define mpi_program_rule
$(BUILD)/bin/$(1).$(2): $(call flavor_obj,$(2),$($(1)_SRC)) $(BUILD)/lib/$(2)/libjuggle-steal.a $(CORE)
	$$(call say,LINK,$$@)
	$(Q)mkdir -p $$(@D) && $(CC) $(ALL_LDFLAGS) -o $$@ $$^ $($(1)_LIBS) $($(2)_LIBS) $(PACKAGE_LIBS) -lm
endef
$(foreach name,$(MPI_PROGRAMS),$(foreach flavor,$(FLAVORS),$(eval $(call mpi_program_rule,$(name),$(flavor)))))

$(addprefix $(BUILD)/bin/,$(MPI_PROGRAMS)): %: %.$(DEFAULT_FLAVOR)
	$(Q)ln -sf $(<F) $@

$(CORE_TEST_BIN) $(LIVE_TEST_BIN): TEST_LIBS = $(shell pkg-config --libs check)
$(BUILD)/tests/%: $(BUILD)/obj/tests/%.o $(TEST_LIB) $(CORE)
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(ALL_LDFLAGS) -o $@ $^ $($*_LIBS) $(TEST_LIBS) $(PACKAGE_LIBS) -lm

# ---- tests -------------------------------------------------------------------------------------------------------

RUN = $(Q)BUILD='$(BUILD)' CC='$(CC)' SAN='$(SAN)' FLAVORS='$(FLAVORS)' tests/run

check: all $(CORE_TEST_BIN) $(LIVE_TEST_BIN) $(HELPER_BIN) ## build and run every test
	$(RUN) $(SCRIPT_TESTS) $(CORE_TEST_BIN) $(LIVE_TEST_BIN)

check-core: $(CORE_TEST_BIN) ## only the tests that need nothing of this machine (for SAN= builds)
	$(RUN) $(CORE_TEST_BIN)

clean: ## remove what was built
	$(Q)rm -rf $(BUILD)

help: ## this list
	@echo 'make [target] [BUILD=dir] [DEBUG=1] [SAN=address,undefined|thread] [PREFIX=dir] [DESTDIR=dir] [V=1]'
	@sed -n 's/^\([a-z-]*\):.* ## \(.*\)/  \1:\2/p' Makefile | column -t -s :

.PHONY: all check check-core clean help FORCE
.SECONDARY:
.DELETE_ON_ERROR:
-include $(OBJ:.o=.d)
