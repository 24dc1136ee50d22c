# SPDX-License-Identifier: BSD-3-Clause
# Programs: NAME_SRC and NAME_LIBS; MPI programs exist once per flavor, as NAME.openmpi and NAME.mpich.
# LOCAL_PROGRAMS stay in $(BUILD)/bin; all others are installed and have a page in man/.

PROGRAMS       := cpuhog juggle juggle-predict juggle-sim steal-sim ubench $(if $(FLAVORS),,uts)
LOCAL_PROGRAMS := theory-curves $(call pick,LIBOMP,ubench-libomp)
MPI_PROGRAMS   := $(if $(FLAVORS),ubench-mpi uts $(if $(HAVE_BLAS),scf tce))
LOCAL_MPI_PROGRAMS := real-mpi
LOCAL_PROGRAMS += lab-crew late-crew real-openmp real-pthreads

PROGRAMS += jugglectl $(if $(SERVICE),juggled)
jugglectl_SRC := jugglectl/jugglectl.c jugglectl/asking.c jugglectl/text.c jugglectl/top.c

juggled_SRC := juggled/juggled.c
juggled/rules/config_files_CFLAGS := -DJUGGLE_SYSCONFDIR='"$(SYSCONFDIR)"'
juggled/juggled_CFLAGS := -DJUGGLE_SYSCONFDIR='"$(SYSCONFDIR)"' -DJUGGLE_VENDORDIR='"$(VENDORDIR)"'
$(BUILD)/obj/juggled/juggled.o $(BUILD)/obj/juggled/rules/config_files.o: $(BUILD)/paths

cpuhog_SRC := tools/cpuhog/main.c

juggle_SRC := juggle/main.c

# The same programs with a policy that makes mistakes, for tests/live/test_checks.
LOCAL_PROGRAMS += juggle-broken $(if $(SERVICE),juggled-broken)
juggle-broken_SRC   := juggle/main.c tests/lib/broken_policy.c
juggle-broken_LIBS  := -Wl,--wrap=policy_step
juggled-broken_SRC  := juggled/juggled.c tests/lib/broken_policy.c
juggled-broken_LIBS := -Wl,--wrap=policy_step

# The workload in the virtual machines of tools/lab.
lab-crew_SRC := tools/lab/crew.c
lab-crew_LIBS := -fopenmp

# Without an MPI uts searches in one thread only.
uts_SRC := tools/uts/main.c $(if $(FLAVORS),tools/uts/parallel.c,tools/uts/alone.c)

juggle-predict_SRC := tools/predict/main.c

juggle-sim_SRC := tools/sim/main.c

steal-sim_SRC := tools/steal-sim/main.c

theory-curves_SRC := tools/plot/curves.c

ubench_SRC  := tools/ubench/main.c
ubench_LIBS := -fopenmp
tools/test_ubench_LIBS := -fopenmp
# Exports its functions to libraries, as programs with plug-ins do.
live/programs/namesakes_LIBS := -rdynamic

# The same program on the other OpenMP runtime, which serves GNU's entry points too.
ubench-libomp_SRC  := tools/ubench/main.c
ubench-libomp_LIBS := $(HAVE_LIBOMP)

# The program that tools/bench/begin runs.
late-crew_SRC := tools/bench/programs/late.c

# Programs of tools/bench/programs/loops.txt.
real-openmp_SRC  := tools/bench/programs/openmp.c tools/bench/programs/kernels.c
real-openmp_LIBS := -fopenmp
tools/bench/programs/openmp_CFLAGS := -fopenmp
real-pthreads_SRC := tools/bench/programs/pthreads.c tools/bench/programs/kernels.c
real-mpi_SRC := tools/bench/programs/mpi.c tools/bench/programs/kernels.c

ubench-mpi_SRC := tools/ubench/mpi.c

# Both applications run the same iterations. They need the stealing runtime, and so an MPI.
PLAYER_SRC := tools/iterate/application.c tools/iterate/durations.c
scf_SRC  := tools/scf/main.c tools/scf/molecule.c tools/scf/settings.c $(PLAYER_SRC)
scf_LIBS := $(BLAS_LIBS)
tce_SRC  := tools/tce/main.c $(PLAYER_SRC)
tce_LIBS := $(BLAS_LIBS)

# Must be last, because no program above is built without jansson.
ifeq ($(HAVE_JANSSON),)
PROGRAMS       :=
LOCAL_PROGRAMS :=
MPI_PROGRAMS   :=
LOCAL_MPI_PROGRAMS :=
endif
