# SPDX-License-Identifier: BSD-3-Clause
# The rooms: all sources that programs and tests link with. A source file belongs to the room in whose folder it lies. A program's
# own logic is a room too, so that tests can link with it; only its main file is in NAME_SRC.

# $(call room,FOLDER...) is the list of its sources.
room = $(filter-out $(LEFT_OUT),$(sort $(wildcard $(addsuffix /*.c,$(1)))))

# Files that do not belong to the room of their folder: main files, and of two alternative files the one that is not used, depending
# on a library.
LEFT_OUT := %/main.c juggled/juggled.c tools/sim/scan.c tools/ubench/mpi.c tools/uts/alone.c tools/uts/parallel.c \
	$(call pick,HWLOC,libjuggle/linux/topology_plain.c,libjuggle/linux/topology_hwloc.c) \
	$(call pick,NL,libjuggle/linux/progress_notaskstats.c,libjuggle/linux/progress_taskstats.c) \
	$(call pick,NCURSES,juggle/report/live_none.c,juggle/report/live.c) \
	$(call pick,JANSSON,libjuggle/join/join_none.c,$(addprefix libjuggle/join/,coordinator.c join.c service.c) libjuggle/wish/wish_json.c)

# What every room may use.
GROUND_SRC := $(call room,libjuggle/ground)
# The formulas of the paper. No turn executes them.
THEORY_SRC := $(call room,libjuggle/theory)
POLICY_SRC := $(call room,libjuggle/policy)
ENGINE_SRC := $(call room,libjuggle/engine)
LINUX_SRC  := $(call room,libjuggle/linux)

# What threads report about themselves, and how the balancer reads it.
TELLING_SRC := libjuggle/waiting/page.c
WAITING_SRC := $(TELLING_SRC) $(addprefix libjuggle/waiting/page_,maker.c samples.c traps.c)
# How a wait should behave. The launcher uses this, too.
WAIT_STYLE_SRC := $(addprefix libjuggle/waiting/,crowd.c wait_style.c)

# Objects that are loaded into programs to report that they wait: one for each MPI, one for LLVM's OpenMP.
PRELOAD_SRC := $(TELLING_SRC) $(WAIT_STYLE_SRC) $(addprefix libjuggle/preload/,next.c waiter.c)
PRELOAD_MPI_SRC     := libjuggle/preload/mpi.c
PRELOAD_openmpi_SRC := $(PRELOAD_SRC) $(addprefix libjuggle/preload/,mpi_fortran.c masks.c idle_openmpi.c)
PRELOAD_mpich_SRC   := $(PRELOAD_SRC) $(addprefix libjuggle/preload/,mpi_fortran.c masks.c idle_mpich.c)
PRELOAD_OMPT_SRC    := $(PRELOAD_SRC) $(addprefix libjuggle/preload/,blocktime.c ompt.c) libjuggle/waiting/patience.c
# One object for all programs: for threads that spin, and for threads that read masks.
PRELOAD_SPIN_SRC := $(PRELOAD_SRC) \
	$(addprefix libjuggle/preload/,actions.c blocking.c calls.c masks.c older_signals.c loops.c samplers.c spin.c temporary_masks.c traps.c) \
	$(addprefix libjuggle/waiting/,page_samples.c page_traps.c) $(addprefix libjuggle/linux/,spin_code.c spin_instruction.c)
libjuggle/preload/ompt_CFLAGS := $(addprefix -idirafter ,$(dir $(HAVE_OMPT)))

# One balanced program: its threads, and when they are looked at.
JOB_SRC := $(call room,libjuggle/job)
# How a program should be balanced.
WISH_SRC := $(call room,libjuggle/wish)
# The protocol between juggled and its clients.
VARLINK_SRC := $(call room,libjuggle/varlink)
# Joining the job of a node. Without jansson no service can be called.
JOIN_SRC := $(call room,libjuggle/join) $(if $(HAVE_JANSSON),$(VARLINK_SRC))
libjuggle/join/coordinator_CFLAGS := -DJUGGLED_PATH='"$(SBINDIR)/juggled"'
$(BUILD)/obj/libjuggle/join/coordinator.o: $(BUILD)/paths
# The interface of libjuggle.
API_SRC := $(call room,libjuggle/api)

# The stealing runtime. The protocol and the placement are pure; only a transport knows MPI.
PROTOCOL_SRC  := $(call room,libjuggle/steal/protocol)
PLACEMENT_SRC := $(call room,libjuggle/steal/placement)
STEAL_SRC     := $(call room,libjuggle/steal/deque libjuggle/steal/runtime) $(PROTOCOL_SRC) $(PLACEMENT_SRC) libjuggle/steal/transport/binding.c
STEAL_MPI_SRC := $(addprefix libjuggle/steal/transport/,mpi.c mpi_open.c)
# C++ exceptions pass through these files; the first one cleans up.
libjuggle/steal/runtime/process_CFLAGS := -fexceptions
libjuggle/steal/runtime/worker_tasks_CFLAGS := -fexceptions

# The deterministic network on which tests run the stealing runtime.
STEAL_SIM_SRC := $(call room,tools/steal-sim) tools/tce/contraction.c
# Without contraction, so that results are the same on every machine.
tools/steal-sim/draws_CFLAGS      := -ffp-contract=off
tools/steal-sim/processors_CFLAGS := -ffp-contract=off
tools/steal-sim/work_CFLAGS       := -ffp-contract=off

# Shared by programs: options, progress bars, the version.
CLI_SRC := $(call room,cli)
SIM_SRC := $(call room,tools/sim)

JUGGLE_SRC := $(call room,juggle juggle/command juggle/files juggle/prepare juggle/report)
juggle/prepare/waiting_CFLAGS := -DJUGGLE_LIBDIR='"$(LIBDIR)"'
$(BUILD)/obj/juggle/prepare/waiting.o: $(BUILD)/paths

CPUHOG_SRC  := $(call room,tools/cpuhog)
PREDICT_SRC := $(call room,tools/predict)
UBENCH_SRC  := $(call room,tools/ubench)
tools/ubench/omp_CFLAGS := -fopenmp

# Vector code. Its instruction set is chosen at run time, so vectors must not leave their file.
ARCH := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))
UTS_SRC := $(filter-out $(if $(filter x86_64,$(ARCH)),,$(addprefix tools/uts/hash_,avx2.c avx512.c)),$(call room,tools/uts))
tools/uts/hash_avx2_CFLAGS   := -O3 -mavx2 -mtune=znver3
tools/uts/hash_avx512_CFLAGS := -mavx512f
tests/tools/test_uts_lanes_CFLAGS := -Wno-psabi

# Iterative applications of the stealing runtime: their shared sources, and two of them. BLAS and LAPACK do their algebra.
SCHEME_SRC  := $(addprefix tools/iterate/,choices.c scheme.c)
ITERATE_SRC := $(addprefix tools/iterate/,blas.c options.c replacement.c report.c)
SCF_SRC     := $(filter-out tools/scf/molecule.c tools/scf/settings.c,$(call room,tools/scf))
tools/scf/integrals_CFLAGS := -O3 -ffast-math $(if $(filter x86_64,$(ARCH)),-mprefer-vector-width=512)
TCE_SRC     := tools/tce/tensors.c
tools/tce/tensors_CFLAGS := -O3

# The sources of juggled, which is not built without its libraries.
SERVICE := $(and $(HAVE_JANSSON),$(HAVE_SYSTEMD))
SERVICE_SRC := $(call room,juggled juggled/care juggled/rules juggled/talk)

# The sources of the two libraries, and the core that everything else links with.
LIBJUGGLE_SRC := $(API_SRC) $(ENGINE_SRC) $(GROUND_SRC) $(JOB_SRC) $(JOIN_SRC) $(LINUX_SRC) $(POLICY_SRC) $(WAITING_SRC) $(WISH_SRC)
LIBSTEAL_SRC  := $(JOIN_SRC) $(STEAL_SRC) $(GROUND_SRC) $(POLICY_SRC) $(WISH_SRC) libjuggle/linux/cpu_mask.c
TOOLS_SRC     := $(CPUHOG_SRC) $(PREDICT_SRC) $(SIM_SRC) $(STEAL_SIM_SRC) $(SCHEME_SRC) $(UBENCH_SRC) $(UTS_SRC) \
                 $(if $(HAVE_BLAS),$(ITERATE_SRC) $(SCF_SRC) $(TCE_SRC))
CORE_SRC      := $(sort $(LIBJUGGLE_SRC) $(LIBSTEAL_SRC) $(THEORY_SRC) $(CLI_SRC) $(WAIT_STYLE_SRC) $(JUGGLE_SRC) $(if $(SERVICE),$(SERVICE_SRC)) $(TOOLS_SRC))
