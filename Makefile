# SPDX-License-Identifier: BSD-3-Clause
# Juggle. `make help` lists the targets, `make config` what was found; `make V=1` shows the commands.
#
# Every source file is named below. A new file goes into the list of its room; a new program or test is one line.

.DEFAULT_GOAL := all

SAN     ?=
BUILD   ?= build$(if $(SAN),-$(subst $(comma),-,$(SAN)))
PREFIX  ?= /usr/local
DESTDIR ?=
V       ?= 0

comma   := ,
VERSION := $(shell sed -n 's/.*JUGGLE_VERSION "\(.*\)"/\1/p' tools/cli/version.h)
SOMAJOR := 0

BINDIR         ?= $(PREFIX)/bin
SBINDIR        ?= $(PREFIX)/sbin
LIBDIR         ?= $(PREFIX)/lib
PKGCONFIGDIR   ?= $(LIBDIR)/pkgconfig
INCLUDEDIR     ?= $(PREFIX)/include
MANDIR         ?= $(PREFIX)/share/man
COMPLETIONSDIR ?= $(PREFIX)/share/bash-completion/completions
SYSCONFDIR     ?= /etc
VENDORDIR      ?= $(PREFIX)/lib
UNITDIR        ?= $(PREFIX)/lib/systemd/system
SYSUSERSDIR    ?= $(PREFIX)/lib/sysusers.d
TMPFILESDIR    ?= $(PREFIX)/lib/tmpfiles.d
TEMPLATE_NAMES := BINDIR SBINDIR LIBDIR INCLUDEDIR SYSCONFDIR VENDORDIR VERSION PACKAGE_LIBS

# ---- libraries of the field ----------------------------------------------------------------------------------
# Without jansson there are the libraries alone. Each other one switches a feature on: HAVE_NAME is 1 or empty here and in C, and
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

PACKAGES := $(call pick,JANSSON,jansson) $(call pick,HWLOC,hwloc) $(call pick,NL,libnl-genl-3.0) $(call pick,NUMA,numa) \
            $(call pick,NCURSES,ncursesw) $(call pick,SYSTEMD,libsystemd) $(call pick,INIH,inih) \
            $(call pick,CAPNG,libcap-ng)
FEATURES := $(foreach name,$(OPTIONAL),$(call pick,$(name),-DHAVE_$(name)=1))
quiet_includes = $(patsubst -I%,-isystem %,$(1))
PACKAGE_CFLAGS := $(call quiet_includes,$(shell pkg-config --cflags $(PACKAGES) 2>/dev/null))
PACKAGE_LIBS   := $(shell pkg-config --libs $(PACKAGES) 2>/dev/null)

# Everything that includes <mpi.h> is built once for each MPI; the first one found is the default.
FLAVORS := $(strip $(call pick,OPENMPI,openmpi) $(call pick,MPICH,mpich))
openmpi_CFLAGS := $(call quiet_includes,$(if $(HAVE_OPENMPI),$(shell pkg-config --cflags ompi-c)))
openmpi_LIBS   := $(if $(HAVE_OPENMPI),$(shell pkg-config --libs ompi-c))
mpich_CFLAGS   := $(call quiet_includes,$(if $(HAVE_MPICH),$(shell pkg-config --cflags-only-I mpich)))
mpich_LIBS     := $(if $(HAVE_MPICH),$(shell pkg-config --libs mpich))
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

POLICY_SRC := libjuggle/policy/accounting.c libjuggle/policy/distribution.c libjuggle/policy/hybrid.c libjuggle/policy/ideal.c \
	libjuggle/policy/machine.c libjuggle/policy/paper.c libjuggle/policy/policy.c libjuggle/policy/prng.c \
	libjuggle/policy/sort.c libjuggle/policy/theory.c

ENGINE_SRC := libjuggle/engine/engine.c libjuggle/engine/recording.c

LINUX_SRC := \
	libjuggle/linux/affinity.c \
	libjuggle/linux/connector.c \
	libjuggle/linux/cpu_mask.c \
	libjuggle/linux/descent.c \
	libjuggle/linux/discovery.c \
	libjuggle/linux/guardian.c \
	libjuggle/linux/memory.c \
	$(call pick,NUMA,libjuggle/linux/numa_nodes.c,libjuggle/linux/numa_nodes_none.c) \
	libjuggle/linux/priority.c \
	libjuggle/linux/procfs.c \
	libjuggle/linux/progress.c \
	libjuggle/linux/progress_perf.c \
	libjuggle/linux/progress_schedstat.c \
	$(call pick,NL,libjuggle/linux/progress_taskstats.c,libjuggle/linux/progress_notaskstats.c) \
	libjuggle/linux/roster.c \
	libjuggle/linux/taskstats_record.c \
	libjuggle/linux/topology.c \
	$(call pick,HWLOC,libjuggle/linux/topology_hwloc.c,libjuggle/linux/topology_plain.c) \
	libjuggle/linux/topology_sysfs.c \
	libjuggle/linux/workers.c \
	libjuggle/linux/world.c

# What juggled, and those who ask it, say to each other.
VARLINK_SRC := \
	libjuggle/varlink/client.c \
	libjuggle/varlink/connection.c \
	libjuggle/varlink/frames.c \
	libjuggle/varlink/listener.c \
	libjuggle/varlink/message.c \
	libjuggle/varlink/outbox.c

# Joining the job of a node. Without jansson nobody can be asked.
JOIN_SRC := $(call pick,JANSSON,libjuggle/join/coordinator.c libjuggle/join/join.c libjuggle/join/name.c \
            libjuggle/join/service.c $(VARLINK_SRC),libjuggle/join/join_none.c libjuggle/join/name.c)
libjuggle/join/coordinator_CFLAGS := -DJUGGLED_PATH='"$(SBINDIR)/juggled"'
$(BUILD)/obj/libjuggle/join/coordinator.o: $(BUILD)/paths

STEAL_SRC := \
	libjuggle/steal/activity.c \
	libjuggle/steal/agenda.c \
	libjuggle/steal/collection.c \
	libjuggle/steal/deque.c \
	libjuggle/steal/memory.c \
	libjuggle/steal/network.c \
	libjuggle/steal/peer.c \
	libjuggle/steal/process.c \
	libjuggle/steal/runtime.c \
	libjuggle/steal/strategy.c \
	libjuggle/steal/team.c \
	libjuggle/steal/termination.c \
	libjuggle/steal/trace.c

CLI_SRC := tools/cli/options.c tools/cli/progress.c

SIM_SRC := tools/sim/comparison.c tools/sim/kernel.c tools/sim/picture.c tools/sim/reactive.c tools/sim/replay.c tools/sim/rig.c \
           tools/sim/runqueue.c tools/sim/scenario.c tools/sim/settings.c tools/sim/simulation.c tools/sim/sweep.c tools/sim/trace.c

JUGGLE_SRC := \
	juggle/attach.c \
	juggle/balance.c \
	juggle/delegation.c \
	juggle/dry_run.c \
	juggle/join.c \
	juggle/launch.c \
	$(call pick,NCURSES,juggle/live.c,juggle/live_none.c) \
	juggle/picture.c \
	juggle/program.c \
	juggle/report.c \
	juggle/settings.c \
	juggle/signals.c \
	juggle/trace.c

CPUHOG_SRC := tools/cpuhog/schedule.c

PREDICT_SRC := tools/predict/advice.c tools/predict/report.c

UBENCH_SRC := tools/ubench/barrier.c tools/ubench/crew.c tools/ubench/ledger.c tools/ubench/member.c tools/ubench/omp.c \
              tools/ubench/pinning.c tools/ubench/report.c tools/ubench/settings.c tools/ubench/work.c
tools/ubench/omp_CFLAGS := -fopenmp

# Vector code whose instructions are chosen at run time. Its vectors stay inside of their file.
ARCH := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))
UTS_SRC := $(if $(filter x86_64,$(ARCH)),tools/uts/hash_avx2.c tools/uts/hash_avx512.c tools/uts/hash_shani.c) \
           tools/uts/expander.c tools/uts/hash_c.c tools/uts/hasher.c tools/uts/report.c tools/uts/sequential.c \
           tools/uts/settings.c tools/uts/sha1.c tools/uts/tree.c
tools/uts/hash_avx2_CFLAGS   := -O3 -mavx2 -mtune=znver3
tools/uts/hash_avx512_CFLAGS := -mavx512f
tools/uts/hash_shani_CFLAGS  := -msha -msse4.1
tests/unit/test_uts_lanes_CFLAGS := -Wno-psabi

CORE_SRC = $(POLICY_SRC) $(ENGINE_SRC) $(LINUX_SRC) $(JOIN_SRC) $(STEAL_SRC) $(CLI_SRC) $(SIM_SRC) $(JUGGLE_SRC) $(CPUHOG_SRC) \
           $(PREDICT_SRC) $(UBENCH_SRC) $(UTS_SRC)

# What juggled is made of; without its libraries there is none.
SERVICE := $(and $(HAVE_SYSTEMD),$(HAVE_INIH))
SERVICE_SRC := \
	juggle/service/balancing.c \
	juggle/service/calls.c \
	juggle/service/charge.c \
	juggle/service/clients.c \
	juggle/service/config.c \
	juggle/service/description.c \
	juggle/service/jobs.c \
	juggle/service/log.c \
	juggle/service/peer.c \
	juggle/service/process.c \
	juggle/service/processes.c \
	juggle/service/rule.c \
	juggle/service/service.c \
	juggle/service/store.c \
	juggle/service/stretch.c \
	juggle/service/trial.c \
	juggle/service/trusted.c \
	juggle/service/view.c \
	juggle/service/watch.c \
	juggle/service/wish.c \
	juggle/service/worth.c

CORE_SRC += $(if $(SERVICE),$(SERVICE_SRC))

# ---- public libraries: what implements libjuggle/juggle.h and libjuggle/steal.h ----------------------------------

API_SRC       := libjuggle/balancers.c libjuggle/follow.c libjuggle/intrinsic.c libjuggle/job.c libjuggle/joining.c \
                 libjuggle/juggle.c libjuggle/members.c libjuggle/options.c
STEAL_MPI_SRC := libjuggle/steal/mpi.c
HEADERS       := libjuggle/juggle.h libjuggle/steal.h

# ---- programs: NAME_SRC and NAME_LIBS; MPI programs exist once per flavor, as NAME.openmpi and NAME.mpich --------
# LOCAL_PROGRAMS stay in $(BUILD)/bin; all others are installed and have a page in man/.

PROGRAMS       := cpuhog juggle juggle-predict juggle-sim ubench $(if $(FLAVORS),,uts)
LOCAL_PROGRAMS := bench-policy theory-curves $(call pick,LIBOMP,ubench-libomp)
MPI_PROGRAMS   := ubench-mpi $(if $(FLAVORS),uts)

PROGRAMS += jugglectl $(if $(SERVICE),juggled)
jugglectl_SRC := juggle/jugglectl.c juggle/jugglectl_text.c juggle/jugglectl_top.c

juggled_SRC := juggle/juggled.c
juggle/juggled_CFLAGS := -DJUGGLE_SYSCONFDIR='"$(SYSCONFDIR)"' -DJUGGLE_VENDORDIR='"$(VENDORDIR)"'
$(BUILD)/obj/juggle/juggled.o: $(BUILD)/paths

ifeq ($(HAVE_JANSSON),)
PROGRAMS       :=
LOCAL_PROGRAMS :=
MPI_PROGRAMS   :=
endif

bench-policy_SRC := tools/bench/policy.c

cpuhog_SRC := tools/cpuhog/main.c

juggle_SRC := juggle/main.c

# Without an MPI it searches in one thread only.
uts_SRC := tools/uts/main.c $(if $(FLAVORS),tools/uts/parallel.c,tools/uts/alone.c)

juggle-predict_SRC := tools/predict/main.c

juggle-sim_SRC := tools/sim/main.c

theory-curves_SRC := tools/plot/curves.c

ubench_SRC  := tools/ubench/main.c
ubench_LIBS := -fopenmp
unit/test_ubench_LIBS := -fopenmp

# The same program on the other OpenMP runtime, which serves GNU's entry points too.
ubench-libomp_SRC  := tools/ubench/main.c
ubench-libomp_LIBS := $(HAVE_LIBOMP)

ubench-mpi_SRC := tools/ubench/mpi.c

# ---- tests: one C file each, linked with everything; scripts are run as they are ---------------------------------
# TEST_PROGRAMS and MPI_TEST_PROGRAMS are built for scripts to run: $BUILD/tests/live/NAME, $BUILD/tests/mpi/NAME.mpich.

UNIT_TESTS        := \
	tests/unit/test_agenda.c \
	tests/unit/test_cpu_mask.c \
	tests/unit/test_cpuhog.c \
	tests/unit/test_deque.c \
	tests/unit/test_deque_interleavings.c \
	tests/unit/test_discovery.c \
	tests/unit/test_engine.c \
	tests/unit/test_memory.c \
	tests/unit/test_follow.c \
	tests/unit/test_intrinsic.c \
	tests/unit/test_members.c \
	tests/unit/test_options.c \
	tests/unit/test_policy.c \
	tests/unit/test_prng.c \
	tests/unit/test_procfs.c \
	tests/unit/test_report.c \
	tests/unit/test_roster.c \
	tests/unit/test_steal_api.c \
	tests/unit/test_taskstats_record.c \
	tests/unit/test_theory.c \
	tests/unit/test_topology.c \
	tests/unit/test_ubench.c \
	tests/unit/test_uts.c \
	tests/unit/test_uts_lanes.c \
	tests/unit/test_workers.c
SERVICE_TESTS     := \
	tests/unit/test_config.c \
	tests/unit/test_processes.c \
	tests/unit/test_store.c \
	tests/unit/test_varlink.c \
	tests/unit/test_worth.c
UNIT_TESTS        += $(if $(SERVICE),$(SERVICE_TESTS))
SIM_TESTS         := \
	tests/sim/test_churn.c \
	tests/sim/test_invariants.c \
	tests/sim/test_paper.c \
	tests/sim/test_recording.c \
	tests/sim/test_rig.c \
	tests/sim/test_steal.c \
	tests/sim/test_steal_uts.c
LIVE_TESTS        := \
	tests/live/test_descendants.c \
	tests/live/test_guardian.c \
	tests/live/test_priority.c \
	tests/live/test_progress.c \
	tests/live/test_world.c
SCRIPT_TESTS      := \
	tests/live/test_balance \
	tests/live/test_disturbances \
	tests/live/test_launch \
	tests/live/test_library \
	tests/live/test_programs \
	tests/live/test_workloads \
	tests/mpi/test_example \
	tests/mpi/test_steal \
	tests/mpi/test_trace \
	tests/mpi/test_uts \
	tests/mpi/test_valgrind \
	tests/sim/test_cli \
	tests/unit/test_curves \
	tests/unit/test_predict \
	tests/unit/test_uts_trees
SCRIPT_TESTS      += $(if $(SERVICE),tests/live/test_delegation tests/live/test_join tests/live/test_sandbox tests/live/test_service \
	tests/live/test_slurm tests/live/test_systemd $(call pick,NCURSES,tests/live/test_top))
TEST_LIB_SRC      := \
	tests/lib/live.c \
	tests/lib/tree.c \
	tests/sim/cluster.c
TEST_PROGRAMS     := \
	tests/live/programs/churn.c \
	tests/live/programs/equal.c \
	tests/live/programs/late.c \
	tests/live/programs/library.c \
	tests/live/programs/member.c \
	tests/live/programs/pins.c
MPI_TEST_PROGRAMS := tests/mpi/cost.c tests/mpi/mismatch.c tests/mpi/walk.c

# These look at the sources and at what was built.
HOUSE_TESTS := tests/house/include-law tests/house/options tests/house/purity tests/house/readme tests/house/sources

# ---- pages, and other files to install: FILE:DIRECTORY, where $(BUILD)/FILE is made from FILE.in ------------------

MAN_PAGES := \
	man/cpuhog.1 \
	man/juggle.1 \
	man/juggle-predict.1 \
	man/libjuggle-steal.3 \
	man/juggle-sim.1 \
	man/libjuggle.3 \
	man/ubench.1 \
	man/ubench-mpi.1 \
	man/uts.1
MAN_PAGES += man/io.juggle.7 man/juggle.conf.5 man/jugglectl.1 man/juggled.8

DATA := juggle/service/io.juggle.varlink:$(PREFIX)/share/varlink \
	$(if $(SERVICE),systemd/juggled.socket:$(UNITDIR) $(BUILD)/systemd/juggled.service:$(UNITDIR) \
	systemd/sysusers.d/juggle.conf:$(SYSUSERSDIR) systemd/tmpfiles.d/juggle.conf:$(TMPFILESDIR))

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

all: $(BIN) $(LIB) $(call pick,JANSSON,$(CORE)) ## build programs and libraries (the default)
everything: all $(CORE_TEST_BIN) $(LIVE_TEST_BIN) $(HELPER_BIN) ## build the tests too

# ---- rules -------------------------------------------------------------------------------------------------------

# Objects depend on the flags, templates on the paths: these files change only when their content does.
$(BUILD)/flags: CONTENT = $(CC) $(filter-out $(WERROR),$(ALL_CFLAGS)) $(ALL_LDFLAGS)
$(BUILD)/paths: CONTENT = $(foreach name,$(TEMPLATE_NAMES),$(name)=$($(name)))
$(BUILD)/flags $(BUILD)/paths: FORCE
	$(Q)mkdir -p $(@D); echo '$(CONTENT)' | cmp -s - $@ || echo '$(CONTENT)' >$@

$(BUILD)/%: %.in $(BUILD)/paths
	$(call say,MAKE,$@)
	$(Q)mkdir -p $(@D) && sed $(call fill,$(TEMPLATE_NAMES)) $< >$@
fill = $(foreach name,$(1),-e 's|@$(name)@|$($(name))|g')

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

LIBJUGGLE_OBJ := $(call obj,$(API_SRC) $(ENGINE_SRC) $(JOIN_SRC) $(LINUX_SRC) $(POLICY_SRC))
$(CORE): $(call obj,$(CORE_SRC) $(API_SRC))
$(TEST_LIB): $(call obj,$(TEST_LIB_SRC))
$(BUILD)/lib/libjuggle.a: $(LIBJUGGLE_OBJ)
$(BUILD)/lib/libjuggle.so.$(VERSION): $(LIBJUGGLE_OBJ) libjuggle/libjuggle.map

# The assembler copies the interface into the program.
$(BUILD)/obj/juggle/service/description.o: juggle/service/io.juggle.varlink

define flavor_rules
$(BUILD)/obj/$(1)/%.o: %.c $(BUILD)/flags
	$$(call say,CC,$$<' ($(1))')
	$(Q)mkdir -p $$(@D) && $(CC) $(ALL_CFLAGS) $$($$*_CFLAGS) $($(1)_CFLAGS) -MMD -MP -c -o $$@ $$<

$(BUILD)/lib/$(1)/libjuggle-steal.a: $(call flavor_obj,$(1),$(STEAL_MPI_SRC)) $(call obj,$(JOIN_SRC) $(STEAL_SRC) $(POLICY_SRC))
$(BUILD)/lib/$(1)/libjuggle-steal.so.$(VERSION): SO_LIBS = $($(1)_LIBS)
$(BUILD)/lib/$(1)/libjuggle-steal.so.$(VERSION): $(call flavor_obj,$(1),$(STEAL_MPI_SRC)) \
    $(call obj,$(JOIN_SRC) $(STEAL_SRC) $(POLICY_SRC)) libjuggle/libjuggle-steal.map

$(BUILD)/libjuggle/libjuggle-steal-$(1).pc: libjuggle/libjuggle-steal.pc.in $(BUILD)/paths
	$$(call say,MAKE,$$@)
	$(Q)mkdir -p $$(@D) && sed $(call fill,$(TEMPLATE_NAMES)) -e 's|@FLAVOR@|$(1)|g; s|@FLAVOR_LIBS@|$($(1)_LIBS)|g' $$< >$$@

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

# ---- installation ------------------------------------------------------------------------------------------------
# One list says what goes where, for install and uninstall: SOURCE:PATH:MODE, or TARGET:PATH:link.

page_dir = $(MANDIR)/man$(patsubst .%,%,$(suffix $(1)))
so_entries = $(1)/$(2).so.$(VERSION):$(3)/$(2).so.$(VERSION):755 $(1)/$(2).a:$(3)/$(2).a:644 \
             $(2).so.$(VERSION):$(3)/$(2).so.$(SOMAJOR):link $(2).so.$(SOMAJOR):$(3)/$(2).so:link
program_dir = $(if $(filter juggled,$(1)),$(SBINDIR),$(BINDIR))

INSTALLED_PROGRAMS := $(PROGRAMS) $(call flavored,$(MPI_PROGRAMS))
INSTALLED = $(foreach name,$(INSTALLED_PROGRAMS),$(BUILD)/bin/$(name):$(call program_dir,$(name))/$(name):755) \
    $(if $(FLAVORS),$(foreach name,$(MPI_PROGRAMS),$(name).$(DEFAULT_FLAVOR):$(BINDIR)/$(name):link)) \
    $(foreach page,$(MAN_PAGES),$(page):$(call page_dir,$(page))/$(notdir $(page)):644) \
    $(foreach name,$(PROGRAMS) $(MPI_PROGRAMS),tools/cli/completion.bash:$(COMPLETIONSDIR)/$(name):644) \
    $(foreach header,$(HEADERS),$(header):$(INCLUDEDIR)/juggle/$(notdir $(header)):644) \
    $(foreach pair,$(DATA),$(pair)/$(notdir $(firstword $(subst :, ,$(pair)))):644) \
    $(INSTALLED_LIBJUGGLE) $(INSTALLED_STEAL)
INSTALLED_LIBJUGGLE = $(if $(API_SRC),$(call so_entries,$(BUILD)/lib,libjuggle,$(LIBDIR)) \
    $(BUILD)/libjuggle/libjuggle.pc:$(PKGCONFIGDIR)/libjuggle.pc:644)
INSTALLED_STEAL = $(if $(STEAL_MPI_SRC),$(foreach flavor,$(FLAVORS), \
    $(call so_entries,$(BUILD)/lib/$(flavor),libjuggle-steal,$(LIBDIR)/juggle/$(flavor)) \
    $(BUILD)/libjuggle/libjuggle-steal-$(flavor).pc:$(PKGCONFIGDIR)/libjuggle-steal-$(flavor).pc:644) \
    $(if $(FLAVORS),libjuggle-steal-$(DEFAULT_FLAVOR).pc:$(PKGCONFIGDIR)/libjuggle-steal.pc:link))
OWN_DIRS = $(INCLUDEDIR)/juggle $(addprefix $(LIBDIR)/juggle/,$(FLAVORS)) $(LIBDIR)/juggle $(VENDORDIR)/juggle

INSTALLED_SOURCES = $(filter $(BUILD)/%,$(foreach entry,$(INSTALLED),$(firstword $(subst :, ,$(entry)))))
split = source=$${entry%%:*} mode=$${entry\#\#*:} path=$${entry\#*:} path='$(DESTDIR)'$${path%:*}

install: all $(INSTALLED_SOURCES) ## install below DESTDIR/PREFIX
	$(Q)set -e; for entry in $(INSTALLED); do \
	    $(split); mkdir -p "$${path%/*}"; \
	    if [ $$mode = link ]; then ln -sf $$source "$$path"; else install -m $$mode $$source "$$path"; fi; \
	done

uninstall: ## remove what install put there
	$(Q)for entry in $(INSTALLED); do $(split); rm -f "$$path"; done; \
	for dir in $(addprefix '$(DESTDIR)',$(OWN_DIRS)); do \
	    [ ! -d "$$dir" ] || rmdir --ignore-fail-on-non-empty "$$dir"; \
	done

# ---- tests -------------------------------------------------------------------------------------------------------

RUN = $(Q)BUILD='$(BUILD)' CC='$(CC)' SAN='$(SAN)' FLAVORS='$(FLAVORS)' PROGRAMS='$(PROGRAMS) $(MPI_PROGRAMS)' \
      PURE_OBJECTS='$(call obj,$(POLICY_SRC))' STEAL_OBJECTS='$(call obj,$(STEAL_SRC))' \
      LIBRARY_OBJECTS='$(filter-out $(call obj,$(CLI_SRC) $(SIM_SRC)),$(call obj,$(CORE_SRC) $(API_SRC)))' tests/run

check: everything ## build and run every test
	$(RUN) $(HOUSE_TESTS) $(SCRIPT_TESTS) $(CORE_TEST_BIN) $(LIVE_TEST_BIN)

check-core: $(CORE_TEST_BIN) ## only the tests that need nothing of this machine (for SAN= builds)
	$(RUN) $(CORE_TEST_BIN)

check-install: all ## install into a scratch directory, use it from there, uninstall, look for leftovers
	$(RUN) tests/house/check-install

check-man: all ## lint the man pages
	$(RUN) tests/house/check-man

BENCHES := $(filter bench-%,$(LOCAL_PROGRAMS))
bench: all ## what the parts cost: every micro benchmark
	$(Q)set -e; for name in $(BENCHES); do $(BUILD)/bin/$$name; done

PROFILE ?= quick
bench-balance: all ## compare Juggle with the kernel and static pinning (PROFILE=quick: 3 minutes, or full)
	$(Q)tools/bench/balance --profile $(PROFILE) --bin $(BUILD)/bin $(BENCH_OPTIONS)

# Hostile bytes against every parser of the service, from a small corpus on. Nothing in a run asks the kernel.
FUZZERS   := $(if $(SERVICE),config reply varlink)
FUZZ_RUNS ?= 200000
FUZZ_SAN  := -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all
FUZZ_OPTIONS := malloc_context_size=2:quarantine_size_mb=8
fuzz: $(addprefix $(BUILD)/fuzz/,$(FUZZERS)) ## feed hostile bytes to the parsers of the service (FUZZ_RUNS=10000000, clang)
	$(Q)set -e; for name in $(FUZZERS); do \
	    mkdir -p $(BUILD)/fuzz/corpus/$$name; \
	    ASAN_OPTIONS=$(FUZZ_OPTIONS) $(BUILD)/fuzz/$$name -runs=$(FUZZ_RUNS) -verbosity=0 -print_final_stats=1 \
	        -max_len=512 -dict=tests/fuzz/$$name.dict -artifact_prefix=$(BUILD)/fuzz/ \
	        $(BUILD)/fuzz/corpus/$$name tests/data/fuzz/$$name; \
	done

FUZZED := $(addprefix juggle/service/,config.c description.c rule.c trusted.c wish.c) libjuggle/join/name.c $(VARLINK_SRC) $(CLI_SRC) \
          $(POLICY_SRC) libjuggle/linux/cpu_mask.c
$(BUILD)/fuzz/varlink: juggle/service/calls.c juggle/service/view.c tests/fuzz/fake_jobs.c
$(BUILD)/fuzz/%: tests/fuzz/fuzz_%.c $(FUZZED)
	$(call say,FUZZ,$@)
	$(Q)mkdir -p $(@D) && clang $(ALL_CFLAGS) $(FUZZ_SAN) -o $@ $(filter %.c,$^) $(PACKAGE_LIBS) -lm

# Each file is linted once, and again when it, a header of it or the rules change.
LINT_OK := $(patsubst %.c,$(BUILD)/lint/%.ok,$(ALL_SRC) $(if $(FLAVORS),$(MPI_SRC)))
lint: $(LINT_OK) ## clang-format, clang-tidy, cppcheck, shellcheck
	$(Q)BUILD='$(BUILD)' tests/run tests/house/lint

$(BUILD)/lint/%.ok: %.c $(BUILD)/obj/%.o .clang-tidy tests/.clang-tidy
	$(call say,LINT,$<)
	$(Q)mkdir -p $(@D) && clang-tidy --quiet $< -- $(ALL_CFLAGS) $($*_CFLAGS) 2>/dev/null && touch $@
$(patsubst %.c,$(BUILD)/lint/%.ok,$(MPI_SRC)): $(BUILD)/lint/%.ok: %.c $(BUILD)/obj/$(DEFAULT_FLAVOR)/%.o .clang-tidy tests/.clang-tidy
	$(call say,LINT,$<)
	$(Q)mkdir -p $(@D) && \
	    clang-tidy --quiet $< -- $(ALL_CFLAGS) $($*_CFLAGS) $($(DEFAULT_FLAVOR)_CFLAGS) 2>/dev/null && touch $@

# ---- talk --------------------------------------------------------------------------------------------------------

figures: all ## regenerate the paper's figures in $(BUILD)/figures
	$(Q)BUILD='$(BUILD)' tools/plot/figures

clean: ## remove what was built
	$(Q)rm -rf $(BUILD)

config: ## what was found on this machine, and what a missing library costs
	$(call report,JANSSON,libjansson-dev,the libraries alone$(comma) and no joining)
	$(call report,HWLOC,libhwloc-dev,the topology is read from /sys alone)
	$(call report,NL,libnl-genl-3-dev,no taskstats: progress comes from schedstat or perf)
	$(call report,NUMA,libnuma-dev,memory is neither located nor moved)
	$(call report,NCURSES,libncurses-dev,no live view)
	$(call report,SYSTEMD,libsystemd-dev,no juggled)
	$(call report,INIH,libinih-dev,no juggled)
	$(call report,CAPNG,libcap-ng-dev,no juggled)
	$(call report,OPENMPI,libopenmpi-dev,no stealing runtime for Open MPI)
	$(call report,MPICH,libmpich-dev,no stealing runtime for MPICH)
	$(call report,CHECK,check,no tests)
report = @printf '  %-8s %s\n' $(1) '$(if $(HAVE_$(1)),found,missing ($(2)): $(3))'

help: ## this list
	@echo 'make [target] [BUILD=dir] [DEBUG=1] [SAN=address,undefined|thread] [PREFIX=dir] [DESTDIR=dir] [V=1]'
	@sed -n 's/^\([a-z-]*\):.* ## \(.*\)/\1 \2/p' Makefile | \
	    while read -r name what; do printf '  %-14s %s\n' "$$name" "$$what"; done

.PHONY: all everything install uninstall bench bench-balance check check-core check-install check-man fuzz lint figures clean config help FORCE
.SECONDARY:
.DELETE_ON_ERROR:
-include $(OBJ:.o=.d)
