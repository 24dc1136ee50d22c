# SPDX-License-Identifier: BSD-3-Clause
# The rooms: all that programs and tests link with. A new file goes into the list of its room.
# A program's own logic is a room too, so that tests reach it; only its main file stands in NAME_SRC.

# What every room may use.
GROUND_SRC := \
	libjuggle/ground/machine.c \
	libjuggle/ground/prng.c \
	libjuggle/ground/rates.c \
	libjuggle/ground/sort.c

# The formulas of the paper. No turn executes them.
THEORY_SRC := \
	libjuggle/theory/case.c \
	libjuggle/theory/condition.c \
	libjuggle/theory/prediction.c \
	libjuggle/theory/theory.c \
	libjuggle/theory/unequal.c

POLICY_SRC := \
	libjuggle/policy/accounting.c \
	libjuggle/policy/belief.c \
	libjuggle/policy/check.c \
	libjuggle/policy/distribution.c \
	libjuggle/policy/experiment.c \
	libjuggle/policy/fit.c \
	libjuggle/policy/ideal.c \
	libjuggle/policy/juggle.c \
	libjuggle/policy/kinds.c \
	libjuggle/policy/learning.c \
	libjuggle/policy/memory.c \
	libjuggle/policy/occupancy.c \
	libjuggle/policy/opening.c \
	libjuggle/policy/paper.c \
	libjuggle/policy/phase.c \
	libjuggle/policy/places.c \
	libjuggle/policy/policy.c \
	libjuggle/policy/prospect.c \
	libjuggle/policy/rest.c \
	libjuggle/policy/slots.c \
	libjuggle/policy/telling.c \
	libjuggle/policy/turns.c \
	libjuggle/policy/view.c

ENGINE_SRC := \
	libjuggle/engine/create.c \
	libjuggle/engine/engine.c \
	libjuggle/engine/plan_check.c \
	libjuggle/engine/recording_reader.c \
	libjuggle/engine/recording_writer.c \
	libjuggle/engine/run_history.c \
	libjuggle/engine/threads.c \
	libjuggle/engine/views.c

LINUX_SRC := \
	libjuggle/linux/affinity.c \
	libjuggle/linux/await.c \
	libjuggle/linux/bindings.c \
	libjuggle/linux/capacity.c \
	libjuggle/linux/capacity_source.c \
	libjuggle/linux/cgroup.c \
	libjuggle/linux/children.c \
	libjuggle/linux/claims.c \
	libjuggle/linux/code_map.c \
	libjuggle/linux/connector.c \
	libjuggle/linux/cpu_mask.c \
	libjuggle/linux/cpuset.c \
	libjuggle/linux/debts.c \
	libjuggle/linux/descent.c \
	libjuggle/linux/guardian.c \
	libjuggle/linux/kernel_version.c \
	libjuggle/linux/lock_table.c \
	libjuggle/linux/homes.c \
	libjuggle/linux/mask_table.c \
	libjuggle/linux/memory.c \
	libjuggle/linux/nproc.c \
	$(call pick,NUMA,libjuggle/linux/numa_nodes.c,libjuggle/linux/numa_nodes_none.c) \
	libjuggle/linux/numbers.c \
	libjuggle/linux/perf_sampler.c \
	libjuggle/linux/pins.c \
	libjuggle/linux/priority.c \
	libjuggle/linux/problem.c \
	libjuggle/linux/procfs.c \
	libjuggle/linux/progress.c \
	libjuggle/linux/progress_perf.c \
	libjuggle/linux/progress_schedstat.c \
	$(call pick,NL,libjuggle/linux/progress_taskstats.c,libjuggle/linux/progress_notaskstats.c) \
	libjuggle/linux/quota.c \
	libjuggle/linux/restoration.c \
	libjuggle/linux/slice.c \
	libjuggle/linux/spin.c \
	libjuggle/linux/spin_code.c \
	libjuggle/linux/spin_instruction.c \
	libjuggle/linux/spin_trap.c \
	libjuggle/linux/sysfs.c \
	libjuggle/linux/taskstats_record.c \
	libjuggle/linux/topology.c \
	$(call pick,HWLOC,libjuggle/linux/topology_hwloc.c,libjuggle/linux/topology_plain.c) \
	libjuggle/linux/topology_mistake.c \
	libjuggle/linux/topology_sysfs.c \
	libjuggle/linux/usage.c \
	libjuggle/linux/world.c \
	libjuggle/linux/world_masks.c \
	libjuggle/linux/world_threads.c

# What threads tell of themselves, and how whoever balances them hears it.
TELLING_SRC := \
	libjuggle/waiting/page.c
WAITING_SRC := $(TELLING_SRC) \
	libjuggle/waiting/page_maker.c \
	libjuggle/waiting/page_samples.c \
	libjuggle/waiting/page_traps.c

# How polite a wait is, which the launcher asks too.
MANNERS_SRC := \
	libjuggle/waiting/crowd.c \
	libjuggle/waiting/manners.c

# What is loaded into programs to tell that they wait: one object for each MPI, one for LLVM's OpenMP.
PRELOAD_SRC := $(TELLING_SRC) $(MANNERS_SRC) \
	libjuggle/preload/next.c \
	libjuggle/preload/waiter.c
PRELOAD_MPI_SRC := libjuggle/preload/mpi.c
PRELOAD_openmpi_SRC := $(PRELOAD_SRC) libjuggle/preload/mpi_fortran.c libjuggle/preload/masks.c libjuggle/preload/idle_openmpi.c
PRELOAD_mpich_SRC   := $(PRELOAD_SRC) libjuggle/preload/mpi_fortran.c libjuggle/preload/masks.c libjuggle/preload/idle_mpich.c
PRELOAD_OMPT_SRC := $(PRELOAD_SRC) libjuggle/preload/blocktime.c libjuggle/preload/ompt.c \
	libjuggle/waiting/patience.c
# And one for all programs: for threads that spin, and for who reads masks.
PRELOAD_SPIN_SRC := $(TELLING_SRC) $(MANNERS_SRC) \
	libjuggle/preload/waiter.c \
	libjuggle/preload/actions.c \
	libjuggle/preload/blocking.c \
	libjuggle/preload/calls.c \
	libjuggle/preload/masks.c \
	libjuggle/preload/next.c \
	libjuggle/preload/older_signals.c \
	libjuggle/preload/loops.c \
	libjuggle/preload/samplers.c \
	libjuggle/preload/spin.c \
	libjuggle/preload/traps.c \
	libjuggle/waiting/page_samples.c \
	libjuggle/waiting/page_traps.c \
	libjuggle/linux/spin_code.c \
	libjuggle/linux/spin_instruction.c
libjuggle/preload/ompt_CFLAGS := $(addprefix -idirafter ,$(dir $(HAVE_OMPT)))

# One balanced program: who is in it, and when it is looked at.
JOB_SRC := \
	libjuggle/job/admission.c \
	libjuggle/job/balancers.c \
	libjuggle/job/demand.c \
	libjuggle/job/discovery.c \
	libjuggle/job/distribution.c \
	libjuggle/job/ending.c \
	libjuggle/job/follow.c \
	libjuggle/job/growth.c \
	libjuggle/job/intrinsic.c \
	libjuggle/job/job.c \
	libjuggle/job/machine_parts.c \
	libjuggle/job/members.c \
	libjuggle/job/nudgers.c \
	libjuggle/job/ownership.c \
	libjuggle/job/parts.c \
	libjuggle/job/roster.c \
	libjuggle/job/shortfall.c \
	libjuggle/job/spin_traps.c \
	libjuggle/job/spin_trial.c \
	libjuggle/job/spinners.c \
	libjuggle/job/summary.c \
	libjuggle/job/taking.c \
	libjuggle/job/tally.c \
	libjuggle/job/usable_machine.c \
	libjuggle/job/watched.c \
	libjuggle/job/work_account.c \
	libjuggle/job/workers.c \
	libjuggle/job/workers_places.c

# What juggled, and those who ask it, say to each other.
VARLINK_SRC := \
	libjuggle/varlink/client.c \
	libjuggle/varlink/connection.c \
	libjuggle/varlink/frames.c \
	libjuggle/varlink/listener.c \
	libjuggle/varlink/message.c \
	libjuggle/varlink/outbox.c

# How somebody wants a program to be balanced.
WISH_SRC := \
	libjuggle/wish/field.c \
	libjuggle/wish/value.c \
	libjuggle/wish/wish.c \
	$(call pick,JANSSON,libjuggle/wish/wish_json.c,)

# Joining the job of a node. Without jansson nobody can be asked.
JOIN_SRC := \
	libjuggle/join/name.c \
	$(call pick,JANSSON,libjuggle/join/coordinator.c libjuggle/join/join.c libjuggle/join/service.c,libjuggle/join/join_none.c)
JOIN_SRC += $(if $(HAVE_JANSSON),$(VARLINK_SRC))
libjuggle/join/coordinator_CFLAGS := -DJUGGLED_PATH='"$(SBINDIR)/juggled"'
$(BUILD)/obj/libjuggle/join/coordinator.o: $(BUILD)/paths

# The interface of libjuggle.
API_SRC := \
	libjuggle/api/joining.c \
	libjuggle/api/juggle.c \
	libjuggle/api/nproc.c \
	libjuggle/api/options.c

# The stealing runtime. The protocol and the placement are pure; one file alone knows MPI.
DEQUE_SRC := \
	libjuggle/steal/deque/deque.c \
	libjuggle/steal/deque/memory.c
PROTOCOL_SRC := \
	libjuggle/steal/protocol/actions.c \
	libjuggle/steal/protocol/alias.c \
	libjuggle/steal/protocol/amounts.c \
	libjuggle/steal/protocol/finish.c \
	libjuggle/steal/protocol/lifelines.c \
	libjuggle/steal/protocol/message_check.c \
	libjuggle/steal/protocol/peer_check.c \
	libjuggle/steal/protocol/peer.c \
	libjuggle/steal/protocol/places.c \
	libjuggle/steal/protocol/skewed.c \
	libjuggle/steal/protocol/victims.c \
	libjuggle/steal/protocol/waves.c
PLACEMENT_SRC := \
	libjuggle/steal/placement/archive.c \
	libjuggle/steal/placement/balancer.c \
	libjuggle/steal/placement/bytes.c \
	libjuggle/steal/placement/donation.c \
	libjuggle/steal/placement/history.c \
	libjuggle/steal/placement/ledger.c \
	libjuggle/steal/placement/pool.c \
	libjuggle/steal/placement/shape.c \
	libjuggle/steal/placement/snapshot.c \
	libjuggle/steal/placement/tree_node.c
RUNTIME_SRC := \
	libjuggle/steal/runtime/account.c \
	libjuggle/steal/runtime/activity.c \
	libjuggle/steal/runtime/adding.c \
	libjuggle/steal/runtime/agreement.c \
	libjuggle/steal/runtime/aside.c \
	libjuggle/steal/runtime/balance.c \
	libjuggle/steal/runtime/bound.c \
	libjuggle/steal/runtime/broken.c \
	libjuggle/steal/runtime/checkpoint.c \
	libjuggle/steal/runtime/checkpoint_load.c \
	libjuggle/steal/runtime/checkpoint_save.c \
	libjuggle/steal/runtime/choice.c \
	libjuggle/steal/runtime/collection.c \
	libjuggle/steal/runtime/counting.c \
	libjuggle/steal/runtime/delivery.c \
	libjuggle/steal/runtime/image.c \
	libjuggle/steal/runtime/image_put.c \
	libjuggle/steal/runtime/inbox.c \
	libjuggle/steal/runtime/ledger_file.c \
	libjuggle/steal/runtime/nap.c \
	libjuggle/steal/runtime/parameters.c \
	libjuggle/steal/runtime/pausing.c \
	libjuggle/steal/runtime/process.c \
	libjuggle/steal/runtime/progress.c \
	libjuggle/steal/runtime/properties.c \
	libjuggle/steal/runtime/rank.c \
	libjuggle/steal/runtime/rebalance.c \
	libjuggle/steal/runtime/recall.c \
	libjuggle/steal/runtime/record.c \
	libjuggle/steal/runtime/reduce.c \
	libjuggle/steal/runtime/report.c \
	libjuggle/steal/runtime/reservation.c \
	libjuggle/steal/runtime/restore.c \
	libjuggle/steal/runtime/results.c \
	libjuggle/steal/runtime/runtime.c \
	libjuggle/steal/runtime/scatter.c \
	libjuggle/steal/runtime/settings.c \
	libjuggle/steal/runtime/shelf.c \
	libjuggle/steal/runtime/sort_buffer.c \
	libjuggle/steal/runtime/spectrum.c \
	libjuggle/steal/runtime/spill.c \
	libjuggle/steal/runtime/spool.c \
	libjuggle/steal/runtime/stash.c \
	libjuggle/steal/runtime/statistics.c \
	libjuggle/steal/runtime/stopwatch.c \
	libjuggle/steal/runtime/storage.c \
	libjuggle/steal/runtime/survey.c \
	libjuggle/steal/runtime/tables.c \
	libjuggle/steal/runtime/talk.c \
	libjuggle/steal/runtime/team.c \
	libjuggle/steal/runtime/tiers.c \
	libjuggle/steal/runtime/timeline.c \
	libjuggle/steal/runtime/trace.c \
	libjuggle/steal/runtime/waiting.c \
	libjuggle/steal/runtime/worker_tasks.c
# Exceptions of C++ pass through the first, which cleans up.
libjuggle/steal/runtime/process_CFLAGS := -fexceptions
libjuggle/steal/runtime/worker_tasks_CFLAGS := -fexceptions
TRANSPORT_SRC := libjuggle/steal/transport/binding.c
STEAL_SRC     := $(DEQUE_SRC) $(PROTOCOL_SRC) $(PLACEMENT_SRC) $(RUNTIME_SRC) $(TRANSPORT_SRC)
STEAL_MPI_SRC := libjuggle/steal/transport/mpi.c libjuggle/steal/transport/mpi_measure.c libjuggle/steal/transport/mpi_open.c

# The deterministic network on which tests run the stealing runtime.
STEAL_SIM_SRC := \
	tools/steal-sim/agenda.c \
	tools/steal-sim/checker.c \
	tools/steal-sim/draws.c \
	tools/steal-sim/flights.c \
	tools/steal-sim/links.c \
	tools/steal-sim/machine.c \
	tools/steal-sim/member.c \
	tools/steal-sim/network.c \
	tools/steal-sim/nodes.c \
	tools/steal-sim/parcels.c \
	tools/steal-sim/presets.c \
	tools/steal-sim/processors.c \
	tools/steal-sim/question.c \
	tools/steal-sim/report.c \
	tools/steal-sim/roads.c \
	tools/steal-sim/runs.c \
	tools/steal-sim/settings.c \
	tools/steal-sim/simulation.c \
	tools/steal-sim/spec.c \
	tools/steal-sim/tasks.c \
	tools/steal-sim/work.c \
	tools/tce/contraction.c
# The same numbers on every machine.
tools/steal-sim/draws_CFLAGS      := -ffp-contract=off
tools/steal-sim/processors_CFLAGS := -ffp-contract=off
tools/steal-sim/work_CFLAGS       := -ffp-contract=off

# What programs share: options, progress, the version.
CLI_SRC := \
	cli/chart.c \
	cli/chart_for.c \
	cli/chart_svg.c \
	cli/chart_text.c \
	cli/foreign.c \
	cli/launched.c \
	cli/option_values.c \
	cli/options.c \
	cli/palette.c \
	cli/progress.c \
	cli/speeds.c \
	cli/svg.c

SIM_SRC := \
	tools/sim/comparison.c \
	tools/sim/kernel.c \
	tools/sim/picture.c \
	tools/sim/reactive.c \
	tools/sim/replay.c \
	tools/sim/rig.c \
	tools/sim/rig_begin.c \
	tools/sim/rig_ports.c \
	tools/sim/rig_program.c \
	tools/sim/rig_tasks.c \
	tools/sim/runqueue.c \
	tools/sim/scenario.c \
	tools/sim/settings.c \
	tools/sim/simulation.c \
	tools/sim/sweep.c \
	tools/sim/trace.c \
	tools/sim/unused.c

JUGGLE_SRC := \
	juggle/attach.c \
	juggle/balance.c \
	juggle/command/find.c \
	juggle/command/not_run.c \
	juggle/command/program.c \
	juggle/command/signals.c \
	juggle/command/trial.c \
	juggle/command/witness.c \
	juggle/compare.c \
	juggle/delegation.c \
	juggle/dry_run.c \
	juggle/explain.c \
	juggle/files/drawing.c \
	juggle/files/output.c \
	juggle/files/outputs.c \
	juggle/files/records.c \
	juggle/files/tape.c \
	juggle/files/trace.c \
	juggle/join.c \
	juggle/launch.c \
	juggle/list.c \
	juggle/nproc.c \
	juggle/report/advice.c \
	juggle/report/blame.c \
	juggle/report/causes.c \
	juggle/report/forecast.c \
	juggle/settings.c \
	$(call pick,NCURSES,juggle/report/live.c,juggle/report/live_none.c) \
	juggle/report/benchmark.c \
	juggle/report/benchmark_json.c \
	juggle/report/meter.c \
	juggle/report/news.c \
	juggle/report/picture.c \
	juggle/report/report.c \
	juggle/report/report_file.c \
	juggle/report/report_json.c \
	juggle/report/text_json.c \
	juggle/telling/confinement.c \
	juggle/telling/elf.c \
	juggle/telling/fit.c \
	juggle/telling/hindrances.c \
	juggle/telling/places.c \
	juggle/telling/policies.c \
	juggle/telling/ranks.c \
	juggle/telling/waiting.c \
	juggle/telling/which_mpi.c
juggle/telling/waiting_CFLAGS := -DJUGGLE_LIBDIR='"$(LIBDIR)"'
$(BUILD)/obj/juggle/telling/waiting.o: $(BUILD)/paths

CPUHOG_SRC := tools/cpuhog/schedule.c

PREDICT_SRC := \
	tools/predict/advice.c \
	tools/predict/equations.c \
	tools/predict/question.c \
	tools/predict/report.c

UBENCH_SRC := \
	tools/ubench/attendance.c \
	tools/ubench/barrier.c \
	tools/ubench/crew.c \
	tools/ubench/member.c \
	tools/ubench/omp.c \
	tools/ubench/pinning.c \
	tools/ubench/report.c \
	tools/ubench/settings.c \
	tools/ubench/work.c
tools/ubench/omp_CFLAGS := -fopenmp

# Vector code whose instructions are chosen at run time. Its vectors stay inside of their file.
ARCH := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))
UTS_SRC := \
	$(if $(filter x86_64,$(ARCH)),tools/uts/hash_avx2.c tools/uts/hash_avx512.c tools/uts/hash_shani.c) \
	tools/uts/expander.c \
	tools/uts/hash_c.c \
	tools/uts/hasher.c \
	tools/uts/report.c \
	tools/uts/sequential.c \
	tools/uts/settings.c \
	tools/uts/sha1.c \
	tools/uts/strategies.c \
	tools/uts/tree.c
tools/uts/hash_avx2_CFLAGS   := -O3 -mavx2 -mtune=znver3
tools/uts/hash_avx512_CFLAGS := -mavx512f
tools/uts/hash_shani_CFLAGS  := -msha -msse4.1
tests/tools/test_uts_lanes_CFLAGS := -Wno-psabi

# Iterative applications of the stealing runtime: what they share, and two of them.
ITERATE_SRC := \
	tools/iterate/blas.c \
	tools/iterate/options.c \
	tools/iterate/replacement.c \
	tools/iterate/report.c
SCHEME_SRC := tools/iterate/scheme.c

# BLAS and LAPACK do their algebra.
SCF_SRC := \
	tools/scf/algebra.c \
	tools/scf/boys.c \
	tools/scf/chain.c \
	tools/scf/fock.c \
	tools/scf/integrals.c \
	tools/scf/one_electron.c \
	tools/scf/pairs.c \
	tools/scf/quadruples.c \
	tools/scf/scf.c \
	tools/scf/survey.c
tools/scf/integrals_CFLAGS := -O3 -ffast-math $(if $(filter x86_64,$(ARCH)),-mprefer-vector-width=512)
TCE_SRC := tools/tce/tensors.c
tools/tce/tensors_CFLAGS := -O3

# What juggled is made of; without its libraries there is none.
SERVICE := $(and $(HAVE_JANSSON),$(HAVE_SYSTEMD),$(HAVE_INIH))
SERVICE_SRC := \
	juggled/care/balancing.c \
	juggled/care/budget.c \
	juggled/care/neighbors.c \
	juggled/care/entries.c \
	juggled/care/farewells.c \
	juggled/care/job_state.c \
	juggled/care/holdings.c \
	juggled/care/jobs.c \
	juggled/care/limit.c \
	juggled/care/parameter.c \
	juggled/care/process.c \
	juggled/care/processes.c \
	juggled/care/record.c \
	juggled/care/resumption.c \
	juggled/care/service_job.c \
	juggled/care/service_job_poll.c \
	juggled/care/store.c \
	juggled/care/tables.c \
	juggled/care/stretch.c \
	juggled/care/surroundings.c \
	juggled/care/tally.c \
	juggled/care/trial.c \
	juggled/care/worth.c \
	juggled/log.c \
	juggled/rules/config.c \
	juggled/rules/config_files.c \
	juggled/rules/rule.c \
	juggled/rules/trusted.c \
	juggled/runtime.c \
	juggled/service.c \
	juggled/socket_file.c \
	juggled/talk/calls.c \
	juggled/talk/client.c \
	juggled/talk/clients.c \
	juggled/talk/credentials.c \
	juggled/talk/description.c \
	juggled/talk/refusal.c \
	juggled/talk/users.c \
	juggled/talk/view.c \
	juggled/talk/viewers.c \
	juggled/talk/watch.c

# What the two libraries are made of, and what everything else links with.
LIBJUGGLE_SRC := $(API_SRC) $(ENGINE_SRC) $(GROUND_SRC) $(JOB_SRC) $(JOIN_SRC) $(LINUX_SRC) $(POLICY_SRC) $(WAITING_SRC) $(WISH_SRC)
LIBSTEAL_SRC  := $(JOIN_SRC) $(STEAL_SRC) $(GROUND_SRC) $(POLICY_SRC) $(WISH_SRC) libjuggle/linux/cpu_mask.c
TOOLS_SRC     := $(CPUHOG_SRC) $(PREDICT_SRC) $(SIM_SRC) $(STEAL_SIM_SRC) $(SCHEME_SRC) $(UBENCH_SRC) $(UTS_SRC) \
                 $(if $(HAVE_BLAS),$(ITERATE_SRC) $(SCF_SRC) $(TCE_SRC))
CORE_SRC      := $(sort $(LIBJUGGLE_SRC) $(LIBSTEAL_SRC) $(THEORY_SRC) $(CLI_SRC) $(MANNERS_SRC) $(JUGGLE_SRC) $(if $(SERVICE),$(SERVICE_SRC)) $(TOOLS_SRC))
