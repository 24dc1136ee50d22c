/* SPDX-License-Identifier: BSD-3-Clause */
/* lab-crew: threads that do equal work between barriers and measure their own progress. The
 * processors of a virtual machine share a real one, and not evenly, so the time of a loop says
 * nothing there. Therefore work is measured in CPU time: a phase is over for a member that has got
 * the CPU time of the phase.
 *
 * After each chunk of work a member publishes its progress and its processor. The first member that
 * arrives at a barrier reads the values of the others; the least progress at this time shows how
 * good balancing is. These values are relaxed, because a value that is a chunk old makes no
 * difference. Only `arrivals_count` orders: no member begins a phase before all have counted the
 * previous one. */
#include "libjuggle/linux/clock.h"
#include "cli/options.h"
#include "libjuggle/ground/sort.h"
#include "tools/ubench/barrier.h"
#include "tools/ubench/crew.h"
#include "tools/ubench/work.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { PROCESSORS_MAX = CPU_SETSIZE };

/* The time between two readings of the clock, on a dedicated processor. */
static const int64_t chunk_ns = 50 * NSEC_PER_USEC;

struct settings {
    int members_count;
    int phases_count;
    int64_t phase_ns;
    enum barrier_kind barrier;
};

/* The data of a member; other members read `worked_ns` and `processor` only. */
struct member {
    _Alignas(BARRIER_ALIGNMENT) _Atomic int64_t worked_ns; /* in all phases */
    _Atomic int processor;
    unsigned node;
    unsigned moves_count;     /* how often it found itself on another processor than before */
    unsigned crossings_count; /* the same for NUMA nodes, without the first two phases */
    unsigned outside_count;   /* chunks that it ended on a processor that it may not use */
};

struct run {
    const struct settings *settings;
    uint64_t chunk_iterations;
    cpu_set_t allowed; /* when the program began */
    struct barrier barrier;
    _Alignas(BARRIER_ALIGNMENT) _Atomic unsigned arrivals_count;
    struct member *members;
    struct sort_item *least; /* [phase]: the least work of a member at the first arrival */
    int64_t elapsed_ns;
    unsigned uneven_count; /* sum over first arrivals of run_uneven_count() */
};

/* Accepts all kinds except the last, which is OpenMP's. */
static int option_barrier(const char *text, void *target, const char **expected)
{
    *expected = "block, yield or busy";
    return option_word(text, barrier_names, BARRIER_OMP, target);
}

static const struct option_spec options[] = {
    {"threads", 'n', "N", "run N threads (1)", option_count,
     offsetof(struct settings, members_count)},
    {"barrier", 'b', "KIND", "wait by block, yield or busy (block)", option_barrier,
     offsetof(struct settings, barrier)},
    {"phases", 'k', "K", "compute K phases (20)", option_count,
     offsetof(struct settings, phases_count)},
    {"phase-length", 'e', "TIME", "CPU time of each thread in a phase (500ms)", option_duration,
     offsetof(struct settings, phase_ns)},
    {0},
};

static const struct command_spec command = {
    .name = "lab-crew",
    .synopsis = "[options]",
    .summary = "Computes in parallel and counts how evenly its threads progress.",
    .options = options,
};

static void member_tell(struct member *member, int64_t worked_ns, const struct run *run)
{
    unsigned cpu, node;

    if (getcpu(&cpu, &node))
        return;
    const int processor = (int)cpu;
    const int before = atomic_load_explicit(&member->processor, memory_order_relaxed);

    member->moves_count += before >= 0 && before != processor;
    member->outside_count += !CPU_ISSET(processor, &run->allowed);
    member->crossings_count += worked_ns > 2 * run->settings->phase_ns && node != member->node;
    member->node = node;
    atomic_store_explicit(&member->processor, processor, memory_order_relaxed);
    atomic_store_explicit(&member->worked_ns, worked_ns, memory_order_relaxed);
}

/* Returns how many of the allowed processors hold more members than the fullest one of an even
 * distribution, or fewer than the emptiest one. If two members change places, one publishes its
 * processor first; until the other one has run, this may count two processors too many. */
static unsigned run_uneven_count(const struct run *run)
{
    const int members_count = run->settings->members_count;
    const int processors_count = CPU_COUNT(&run->allowed);
    const int least = members_count / processors_count;
    const int most = (members_count + processors_count - 1) / processors_count;
    int held_count[PROCESSORS_MAX] = {0};
    unsigned uneven_count = 0;

    for (int i = 0; i < members_count; i++)
        held_count[atomic_load_explicit(&run->members[i].processor, memory_order_relaxed)]++;
    for (int processor = 0; processor < PROCESSORS_MAX; processor++)
        uneven_count += CPU_ISSET(processor, &run->allowed) &&
                        (held_count[processor] < least || held_count[processor] > most);
    return uneven_count;
}

static void run_look_about(struct run *run, int phase)
{
    const int64_t phase_ns = run->settings->phase_ns;
    int64_t least_ns = phase_ns;

    for (int i = 0; i < run->settings->members_count; i++) {
        const int64_t worked_ns = atomic_load_explicit(&run->members[i].worked_ns,
                                                       memory_order_relaxed);
        least_ns = min_i64(least_ns, worked_ns - phase * phase_ns);
    }
    run->least[phase] = (struct sort_item){least_ns, phase};
    run->uneven_count += run_uneven_count(run);
}

static void member_compute(struct run *run, struct member *member, struct work *work, int phase)
{
    const int64_t phase_ns = run->settings->phase_ns;
    const int64_t start_ns = clock_spent_ns();
    int64_t worked_ns = 0;

    while (worked_ns < phase_ns) {
        work_run(work, run->chunk_iterations);
        worked_ns = min_i64(clock_spent_ns() - start_ns, phase_ns);
        member_tell(member, phase * phase_ns + worked_ns, run);
    }
}

static void member_run(void *context, int index)
{
    struct run *run = context;
    struct member *member = &run->members[index];
    struct work work;

    if (work_init(&work, 0))
        _Exit(EXIT_FAILURE);
    /* A valid value before another member reads it. */
    atomic_store_explicit(&member->processor, sched_getcpu(), memory_order_relaxed);
    barrier_wait(&run->barrier);
    for (int phase = 0; phase < run->settings->phases_count; phase++) {
        member_compute(run, member, &work, phase);
        if (atomic_fetch_add(&run->arrivals_count, 1) % (unsigned)run->settings->members_count == 0)
            run_look_about(run, phase);
        barrier_wait(&run->barrier);
    }
    work_destroy(&work);
}

static int run_init(struct run *run, const struct settings *settings)
{
    struct work work;

    if (sched_getaffinity(0, sizeof(run->allowed), &run->allowed))
        return -errno;
    run->settings = settings;
    run->members = aligned_alloc(BARRIER_ALIGNMENT,
                                 (size_t)settings->members_count * sizeof(*run->members));
    run->least = calloc((size_t)settings->phases_count, sizeof(*run->least));
    if (!run->members || !run->least)
        return -ENOMEM;
    for (int i = 0; i < settings->members_count; i++)
        run->members[i] = (struct member){.processor = -1};
    barrier_init(&run->barrier, settings->barrier, settings->members_count);
    const int error = work_init(&work, 0);
    if (error)
        return error;
    run->chunk_iterations = work_calibrate(&work, chunk_ns) + 1;
    work_destroy(&work);
    return 0;
}

static void run_destroy(struct run *run)
{
    free(run->least);
    free(run->members);
}

static int run_all(struct run *run)
{
    const int64_t start_ns = clock_now_ns();
    const int error = crew_run(CREW_THREADS, run->settings->members_count, member_run, run);

    run->elapsed_ns = clock_now_ns() - start_ns;
    return error;
}

/* Prints the least progress as a share of the phase, at the median and the worst of all barriers;
 * the time as a multiple of the time of an even distribution; the share of processors that held too
 * many or too few members; and the counts of moves. */
static void run_report(struct run *run)
{
    const struct settings *settings = run->settings;
    const int phases_count = settings->phases_count;
    const double phase_ns = (double)settings->phase_ns;
    const int processors_count = CPU_COUNT(&run->allowed);
    const double crowd = (double)settings->members_count / processors_count;
    const int middle = phases_count / 2;
    unsigned moves_count = 0, crossings_count = 0, outside_count = 0;

    for (int i = 0; i < settings->members_count; i++) {
        moves_count += run->members[i].moves_count;
        crossings_count += run->members[i].crossings_count;
        outside_count += run->members[i].outside_count;
    }
    sort_items(run->least, phases_count);
    printf("least %.2f\n", (double)run->least[middle].key / phase_ns);
    printf("worst %.2f\n", (double)run->least[0].key / phase_ns);
    printf("stretch %.2f\n",
           (double)run->elapsed_ns / (phase_ns * phases_count * (crowd < 1 ? 1 : crowd)));
    printf("uneven %.2f\n", (double)run->uneven_count / phases_count / processors_count);
    printf("moves %u\n", moves_count);
    printf("crossings %u\n", crossings_count);
    printf("outside %u\n", outside_count);
}

int main(int argc, char **argv)
{
    static struct settings settings = {1, 20, 500 * NSEC_PER_MSEC, BARRIER_BLOCK};
    static struct run run;
    int exit_status;

    if (options_parse(&command, argc, argv, &settings, NULL, &exit_status))
        return exit_status;
    int error = run_init(&run, &settings);
    if (!error)
        error = run_all(&run);
    if (error)
        complain(command.name, "--threads %d: not all of them ran: %s", settings.members_count,
                 strerror(-error));
    else
        run_report(&run);
    run_destroy(&run);
    return error || stdout_finish(command.name) ? EXIT_FAILURE : EXIT_SUCCESS;
}
