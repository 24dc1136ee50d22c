# SPDX-License-Identifier: BSD-3-Clause
# Tests: one C file each, linked with everything; scripts are run as they are. A file in the folder of its kind that is called
# test_NAME is a test. TEST_PROGRAMS and MPI_TEST_PROGRAMS are built for scripts to run: $BUILD/tests/live/NAME,
# $BUILD/tests/mpi/NAME.mpich.

tests_in = $(filter-out $(ABSENT_TESTS),$(sort $(wildcard $(addsuffix /test_*,$(1)))))
unit     = $(patsubst %,tests/unit/test_%.c,$(1))
live     = $(addprefix tests/live/test_,$(1))

# Tests that need the service, BLAS or other libraries.
SERVICE_TESTS := $(call unit,admission benchmark budget clients_lives config entries holdings processes record releases socket_file store \
	store_lives table_links tables varlink varlink_client watch_lives wish worth) $(sort $(wildcard tests/live/test_service*)) \
	$(call live,delegation failures join jugglectl kills sandbox slurm slurm_plugin systemd top)
BLAS_TESTS    := $(addprefix tests/tools/test_,replacement.c scf.c tce.c)
tools/test_scf_LIBS := $(BLAS_LIBS)
tools/test_tce_LIBS := $(BLAS_LIBS)
ABSENT_TESTS  := $(if $(SERVICE),,$(SERVICE_TESTS)) $(if $(HAVE_BLAS),,$(BLAS_TESTS)) $(if $(HAVE_SLURM),,$(call live,slurm_plugin)) \
	$(call pick,NCURSES,,$(call live,top)) $(if $(SAN),$(call live,failures))

UNIT_TESTS   := $(filter %.c,$(call tests_in,tests/unit tests/tools))
# Unit tests that create threads, for SAN=thread. tests/house/purity finds a test that is missing here.
THREAD_TESTS := $(call unit,calls checks $(if $(SERVICE),adoption processes) deque engine nproc recall retention samplers spin steal_account steal_api steal_bounds \
	steal_calls steal_checkpoint steal_checkpoint_file steal_checks steal_messages steal_locale steal_order steal_ranks steal_refusals steal_results \
	steal_results_file steal_settings steal_stop steal_storage steal_waiting traps waiter waiting_page) tests/tools/test_ubench.c
SIM_TESTS    := $(filter %.c,$(call tests_in,tests/sim))
LIVE_TESTS   := $(filter %.c,$(call tests_in,tests/live))
SCRIPT_TESTS := $(filter-out %.c,$(call tests_in,tests/live tests/mpi tests/sim tests/tools))
# Tests that run live programs; and of these, the tests that measure progress, waiting or the use of the machine, which run alone on
# it.
LIVE_SCRIPTS    := $(filter tests/live/% tests/mpi/% tests/tools/test_lab,$(SCRIPT_TESTS))
MEASURING_TESTS := $(filter $(call live,balance causes fit programs spin unequal waiting workloads),$(SCRIPT_TESTS))

# Left out are the sources of fail.so (two files), and of programs that make mistakes (broken_policy.c).
TEST_LIB_SRC      := $(filter-out $(addprefix tests/lib/,blocks.c broken_policy.c fail.c) tests/sim/test_%,$(sort $(wildcard tests/lib/*.c tests/sim/*.c)))
TEST_PROGRAMS     := $(sort $(wildcard tests/live/programs/*.c))
MPI_TEST_PROGRAMS := $(sort $(wildcard tests/mpi/*.c))

# These look at the sources and at what was built.
HOUSE_TESTS := $(filter-out tests/house/check-% tests/house/deb-root tests/house/lint,$(sort $(wildcard tests/house/*)))
