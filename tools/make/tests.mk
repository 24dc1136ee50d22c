# SPDX-License-Identifier: BSD-3-Clause
# Tests: one C file each, linked with everything; scripts are run as they are.
# TEST_PROGRAMS and MPI_TEST_PROGRAMS are built for scripts to run: $BUILD/tests/live/NAME, $BUILD/tests/mpi/NAME.mpich.

UNIT_TESTS        := \
	tests/unit/test_advice.c \
	tests/tools/test_agenda.c \
	tests/unit/test_calls.c \
	tests/unit/test_capacity.c \
	tests/unit/test_causes.c \
	tests/tools/test_checker.c \
	tests/unit/test_claims.c \
	tests/unit/test_archive.c \
	tests/unit/test_connector.c \
	tests/unit/test_binding.c \
	tests/unit/test_cpu_mask.c \
	tests/unit/test_cpuset.c \
	tests/tools/test_cpuhog.c \
	tests/unit/test_dealing.c \
	tests/unit/test_demand.c \
	tests/unit/test_deque_interleavings.c \
	tests/unit/test_discovery.c \
	tests/unit/test_distribution.c \
	tests/unit/test_engine.c \
	tests/unit/test_fit.c \
	tests/unit/test_mask_table.c \
	tests/unit/test_world_table.c \
	tests/unit/test_memory.c \
	tests/unit/test_follow.c \
	tests/unit/test_telling_fit.c \
	tests/unit/test_foreign.c \
	tests/unit/test_growth.c \
	tests/unit/test_intrinsic.c \
	tests/unit/test_join_name.c \
	tests/unit/test_ledger.c \
	tests/unit/test_lifelines.c \
	tests/unit/test_live.c \
	tests/unit/test_members.c \
	tests/unit/test_message_check.c \
	tests/unit/test_options.c \
	tests/unit/test_phase.c \
	tests/unit/test_policy.c \
	tests/unit/test_policy_turns.c \
	tests/unit/test_prediction.c \
	tests/unit/test_prng.c \
	tests/unit/test_problem.c \
	tests/unit/test_procfs.c \
	tests/unit/test_report.c \
	tests/unit/test_roster.c \
	tests/unit/test_shares.c \
	tests/unit/test_shortfall.c \
	tests/unit/test_snapshot.c \
	tests/unit/test_spin_traps.c \
	tests/unit/test_spin_trial.c \
	tests/unit/test_steal_report.c \
	tests/unit/test_tally.c \
	tests/unit/test_taskstats_record.c \
	tests/unit/test_theory.c \
	tests/unit/test_patience.c \
	tests/unit/test_run_history.c \
	tests/unit/test_trial.c \
	tests/unit/test_topology.c \
	tests/unit/test_unequal.c \
	tests/tools/test_uts.c \
	tests/tools/test_uts_lanes.c \
	tests/unit/test_waiting.c \
	tests/unit/test_victims.c \
	tests/unit/test_usage.c \
	tests/unit/test_values.c \
	tests/unit/test_work_account.c \
	tests/unit/test_workers.c \
	tests/unit/test_workers_lives.c
SERVICE_TESTS     := \
	tests/unit/test_admission.c \
	tests/unit/test_benchmark.c \
	tests/unit/test_budget.c \
	tests/unit/test_clients_lives.c \
	tests/unit/test_config.c \
	tests/unit/test_entries.c \
	tests/unit/test_farewells.c \
	tests/unit/test_holdings.c \
	tests/unit/test_processes.c \
	tests/unit/test_record.c \
	tests/unit/test_socket_file.c \
	tests/unit/test_store.c \
	tests/unit/test_store_lives.c \
	tests/unit/test_table_links.c \
	tests/unit/test_tables.c \
	tests/unit/test_varlink.c \
	tests/unit/test_varlink_client.c \
	tests/unit/test_watch_lives.c \
	tests/unit/test_wish.c \
	tests/unit/test_worth.c
UNIT_TESTS        += $(if $(SERVICE),$(SERVICE_TESTS))
# Those that create threads are named here alone: what SAN=thread is for. tests/house/purity finds who is missing.
THREAD_TESTS      := \
	tests/unit/test_checks.c \
	tests/unit/test_deque.c \
	tests/unit/test_nproc.c \
	tests/unit/test_recall.c \
	tests/unit/test_retention.c \
	tests/unit/test_samplers.c \
	tests/unit/test_spin.c \
	tests/unit/test_steal_account.c \
	tests/unit/test_steal_api.c \
	tests/unit/test_steal_bounds.c \
	tests/unit/test_steal_checkpoint.c \
	tests/unit/test_steal_checkpoint_file.c \
	tests/unit/test_steal_checks.c \
	tests/unit/test_steal_messages.c \
	tests/unit/test_steal_locale.c \
	tests/unit/test_steal_order.c \
	tests/unit/test_steal_ranks.c \
	tests/unit/test_steal_results.c \
	tests/unit/test_steal_settings.c \
	tests/unit/test_steal_stop.c \
	tests/unit/test_steal_storage.c \
	tests/unit/test_steal_waiting.c \
	tests/tools/test_ubench.c \
	tests/unit/test_traps.c \
	tests/unit/test_waiter.c \
	tests/unit/test_waiting_page.c
UNIT_TESTS        += $(THREAD_TESTS)
UNIT_TESTS        += $(if $(HAVE_BLAS),tests/tools/test_replacement.c tests/tools/test_scf.c tests/tools/test_tce.c)
tools/test_scf_LIBS := $(BLAS_LIBS)
tools/test_tce_LIBS := $(BLAS_LIBS)
SIM_TESTS         := \
	tests/sim/test_balancer.c \
	tests/sim/test_churn.c \
	tests/sim/test_experiments.c \
	tests/sim/test_fairness.c \
	tests/sim/test_invariants.c \
	tests/sim/test_learning.c \
	tests/sim/test_machine.c \
	tests/sim/test_roads.c \
	tests/sim/test_paper.c \
	tests/sim/test_persistence.c \
	tests/sim/test_plan.c \
	tests/sim/test_recording.c \
	tests/sim/test_rig.c \
	tests/sim/test_speeds.c \
	tests/sim/test_steal.c \
	tests/sim/test_steal_bound.c \
	tests/sim/test_steal_checkpoint.c \
	tests/sim/test_steal_goals.c \
	tests/sim/test_steal_order.c \
	tests/sim/test_steal_results.c \
	tests/sim/test_steal_uts.c \
	tests/sim/test_steal_waiting.c
LIVE_TESTS        := \
	tests/live/test_descendants.c \
	tests/live/test_growth.c \
	tests/live/test_guardian.c \
	tests/live/test_leaving.c \
	tests/live/test_priority.c \
	tests/live/test_progress.c \
	tests/live/test_world.c
SCRIPT_TESTS      := \
	tests/live/test_balance \
	tests/live/test_evidence \
	tests/live/test_container \
	tests/live/test_denied \
	tests/live/test_claims \
	tests/live/test_compare \
	tests/live/test_disturbances \
	tests/live/test_causes \
	tests/live/test_checks \
	tests/live/test_fit \
	tests/live/test_launch \
	tests/live/test_library \
	tests/live/test_options \
	tests/live/test_picture \
	tests/live/test_programs \
	tests/live/test_spin \
	tests/live/test_unequal \
	tests/live/test_waiting \
	tests/live/test_workloads \
	tests/mpi/test_applications \
	tests/mpi/test_bindings \
	tests/mpi/test_checkpoint \
	tests/mpi/test_example \
	tests/mpi/test_executor \
	tests/mpi/test_features \
	tests/mpi/test_manners \
	tests/mpi/test_persistence \
	tests/mpi/test_steal \
	tests/mpi/test_trace \
	tests/mpi/test_uts \
	tests/mpi/test_valgrind \
	tests/mpi/test_waiting \
	tests/sim/test_cli \
	tests/sim/test_constants \
	tests/sim/test_grid \
	tests/sim/test_steal_sim \
	tests/tools/test_curves \
	tests/tools/test_evidence \
	tests/tools/test_lab \
	tests/tools/test_lifestories \
	tests/tools/test_predict \
	tests/tools/test_stealing_figures \
	tests/tools/test_uts_trees
SCRIPT_TESTS      += $(if $(SERVICE),tests/live/test_delegation tests/live/test_join tests/live/test_jugglectl tests/live/test_kills tests/live/test_sandbox tests/live/test_service tests/live/test_service_attacks $(if $(SAN),,tests/live/test_failures) tests/live/test_service_limits tests/live/test_service_pieces tests/live/test_service_spending tests/live/test_service_state tests/live/test_service_strangers tests/live/test_service_upkeep \
	tests/live/test_slurm $(if $(HAVE_SLURM),tests/live/test_slurm_plugin) tests/live/test_systemd $(call pick,NCURSES,tests/live/test_top))
# Those that run live programs; and of these, those that say something of progress, waiting or the use of the machine: they
# have it for themselves.
LIVE_SCRIPTS      := $(filter tests/live/% tests/mpi/% tests/tools/test_lab,$(SCRIPT_TESTS))
MEASURING_TESTS   := $(filter $(addprefix tests/live/test_,balance causes disturbances fit programs service_spending spin \
                     unequal waiting workloads) tests/mpi/test_waiting,$(SCRIPT_TESTS))
TEST_LIB_SRC      := \
	tests/lib/kept.c \
	tests/lib/live.c \
	tests/lib/lone.c \
	tests/lib/refusal.c \
	tests/lib/scratch.c \
	tests/lib/tree.c \
	tests/sim/arena.c \
	tests/sim/cluster.c \
	tests/sim/cluster_settings.c \
	tests/sim/cluster_turns.c \
	tests/sim/image_copy.c \
	tests/sim/iterations.c \
	tests/sim/lifeline_watch.c \
	tests/sim/published.c
TEST_PROGRAMS     := \
	tests/live/programs/churn.c \
	tests/live/programs/equal.c \
	tests/live/programs/hidden.c \
	tests/live/programs/lame.c \
	tests/live/programs/late.c \
	tests/live/programs/library.c \
	tests/live/programs/lineage.c \
	tests/live/programs/member.c \
	tests/live/programs/namesakes.c \
	tests/live/programs/parents.c \
	tests/live/programs/pins.c \
	tests/live/programs/reads.c \
	tests/live/programs/spins.c \
	tests/live/programs/trapped.c \
	tests/live/programs/starters.c \
	tests/live/programs/told.c
MPI_TEST_PROGRAMS := tests/mpi/cost.c tests/mpi/ensemble.c tests/mpi/features.c tests/mpi/iterate.c tests/mpi/lives.c tests/mpi/manners.c tests/mpi/mismatch.c tests/mpi/resume.c tests/mpi/waits.c tests/mpi/walk.c

# These look at the sources and at what was built.
HOUSE_TESTS := tests/house/circles tests/house/claims tests/house/completions tests/house/foreign tests/house/include-law tests/house/mechanisms tests/house/optional tests/house/options tests/house/packaging tests/house/promises tests/house/purity tests/house/readme tests/house/rooms tests/house/setup tests/house/sources tests/house/spack tests/house/words
