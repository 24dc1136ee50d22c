/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts, in this order:
 * - which threads are watched
 * - what they do: samples, and waits in run queues
 * - what is done about it: nudges and traps, as the trial says
 * - create, views, destroy */
#include "libjuggle/job/spinners.h"

#include "libjuggle/job/nudgers.h"
#include "libjuggle/job/spin_trial.h"
#include "libjuggle/job/watched.h"
#include "libjuggle/linux/clock.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define PROBE_COST_NS 20e3
/* The period of samples in a look of the usual length. */
#define SAMPLE_PERIOD_NS (400 * NSEC_PER_USEC)
/* While threads are nudged, how often it is sought which processors they wait for: this time, and a
 * time per thread, because each takes about 10 us. That changes with each move, and until it is
 * found again the threads that wait do so for whole slices. */
#define FOLLOW_NS        (4 * NSEC_PER_MSEC)
#define FOLLOW_THREAD_NS (250 * NSEC_PER_USEC)
/* And how often the threads to watch are chosen anew meanwhile. */
#define RENEW_NS (100 * NSEC_PER_MSEC)
/* Threads that yield or sleep all the time run for less at a stretch, and burn no slice. */
#define STRETCH_MIN_NS (300 * NSEC_PER_USEC)
/* A thread is in line if it has waited in a run queue for one part in this many of the time. */
#define IN_LINE_PART 10
/* It sleeps all the time if it does so once in this time, and for one part in this many in all. */
#define SLEEP_EVERY_NS NSEC_PER_MSEC
#define SLEEP_PART     10

struct spinners {
    struct spinners_options options;
    struct nudgers *nudgers;
    struct spin_trial trial;
    struct spin_traps traps; /* where threads are caught, from the last look on */
    /* What the page had counted when they were created. */
    int64_t gave_way_before, slept_before_ns;
    int64_t caught_before; /* and when the stage began */
    int64_t next_ns;
    enum spinning seen;    /* by the last look */
    bool unread;           /* reading the program's code is refused */
    bool blind;            /* suspected threads cannot be seen to spin */
    int64_t began_ns;      /* when the stage began */
    int64_t seen_ns;       /* when their counters were last read */
    int64_t renew_ns;      /* when threads to watch are to be chosen anew */
    int64_t ran_before_ns; /* what their processes had run when samples began */
    /* For how long threads ran at a stretch since their counters were read last, and before
     * that. */
    double stretch_ns, stretch_before_ns;
    struct spinners_statistics statistics;
    struct work_sample {
        struct work_account account;
        int64_t sampled_ns;            /* the length of the stage */
    } sample, tried[SPIN_MEANS_COUNT]; /* of the last stage, and of the last trial of each means */
    struct work_account account;
    int64_t accounted_ns;               /* the account covers the time until then */
    bool lined[MACHINE_PROCESSORS_MAX]; /* threads waited for it when that was last seen */
    int processors[CPU_MASK_CPUS_MAX];  /* of the machine, by the kernel's number; -1: none */
    struct watched_threads watched;
};

/* ---- which threads are watched ---- */

/* Samples or the program's code are refused. Only a suspicion that cannot be followed is
 * reported. */
static void cannot_see(struct spinners *spinners)
{
    if (spin_trial_suspects(&spinners->trial))
        spinners->blind = true;
    else if (!spin_trial_wants_self_sampling(&spinners->trial))
        spin_trial_account_no_more(&spinners->trial);
}

/* Begins to watch the threads that there are now. */
static void renew(struct spinners *spinners, int64_t now_ns)
{
    const bool sampled = spinners->options.mode == SPIN_AUTO &&
                         spin_trial_samples(&spinners->trial);
    const bool by_themselves = spin_trial_wants_self_sampling(&spinners->trial);

    if (watched_renew(&spinners->watched,
                      sampled ? spin_trial_pace(&spinners->trial) * SAMPLE_PERIOD_NS : 0,
                      by_themselves) ||
        spinners->unread)
        cannot_see(spinners);
    if (watched_sample_themselves(&spinners->watched) && !by_themselves)
        spin_trial_slow_down(&spinners->trial);
    if (sampled && by_themselves && !watched_sample_themselves(&spinners->watched))
        spin_trial_give_up_look(&spinners->trial, now_ns);
    if (spin_trial_traps(&spinners->trial))
        watched_spare(&spinners->watched, &spinners->traps);
    if (sampled)
        spinners->ran_before_ns = watched_processes_ran_ns(&spinners->watched);
    spinners->seen_ns = now_ns;
    spinners->renew_ns = now_ns + RENEW_NS;
}

/* ---- what they do ---- */

/* Notes the processor whose run queue a thread waits in. */
static void line_note(const struct spinners *spinners, const struct watched *watched,
                      bool nudged[MACHINE_PROCESSORS_MAX])
{
    struct thread_stat stat;

    if (procfs_stat_read(spinners->options.proc_fd, watched->id.pid, watched->id.tid, &stat) ||
        stat.cpu < 0 || stat.cpu >= CPU_MASK_CPUS_MAX || spinners->processors[stat.cpu] < 0)
        return;
    nudged[spinners->processors[stat.cpu]] = true;
}

static bool sleeps_all_the_time(const struct thread_schedstat *spent, int64_t elapsed_ns)
{
    const int64_t slept_ns = elapsed_ns - spent->run_ns - spent->wait_ns;

    return SLEEP_EVERY_NS * spent->slices_count > elapsed_ns &&
           spent->run_ns < STRETCH_MIN_NS * spent->slices_count &&
           slept_ns > elapsed_ns / SLEEP_PART;
}

/* Reads what the kernel has counted since it was asked last: which processors threads wait for, how
 * long they run at a stretch, and whether they sleep all the time. */
static void lines_see(struct spinners *spinners, int64_t now_ns,
                      bool nudged[MACHINE_PROCESSORS_MAX], struct spin_sight *sight)
{
    const int64_t elapsed_ns = now_ns - spinners->seen_ns;
    struct thread_schedstat sum = {0};
    bool in_line = false;
    int sleepers_count = 0, seen_count = 0;

    for (int i = 0; i < spinners->watched.count; i++) {
        struct watched *watched = &spinners->watched.list[i];
        const struct thread_schedstat before = watched->before;
        struct thread_schedstat now;
        if (procfs_schedstat_read(spinners->options.proc_fd, watched->id.pid, watched->id.tid,
                                  &now))
            continue;
        const struct thread_schedstat spent = {
            .run_ns = now.run_ns - before.run_ns,
            .wait_ns = now.wait_ns - before.wait_ns,
            .slices_count = now.slices_count - before.slices_count,
        };
        watched->before = now;
        seen_count++;
        sum.run_ns += spent.run_ns;
        sum.slices_count += spent.slices_count;
        sleepers_count += sleeps_all_the_time(&spent, elapsed_ns);
        if (spent.wait_ns < elapsed_ns / IN_LINE_PART)
            continue;
        in_line = true;
        line_note(spinners, watched, nudged);
    }
    /* Threads that came later or have ended may have waited in a run queue: that is not known. */
    if (sight->oversubscribed && seen_count < min_i64(sight->threads_count, WATCHED_MAX))
        in_line = true;
    spinners->seen_ns = now_ns;
    spinners->stretch_before_ns = spinners->stretch_ns;
    spinners->stretch_ns = (double)sum.run_ns / (double)max_i64(sum.slices_count, 1);
    sight->suspect = in_line && sum.run_ns >= STRETCH_MIN_NS * sum.slices_count;
    sight->hinders = spinners->stretch_ns < PROBE_COST_NS;
    sight->sleepers = 2 * sleepers_count > spinners->watched.count;
}

/* The part of their run time that threads would need if they were not sampled. A probe costs up to
 * 20 us at each switch; what threads do between two switches is the same. Threads that yield switch
 * more often, the longer they wait: so no more than the cost of a probe is taken off. */
static double unhindered_share(const struct spinners *spinners)
{
    const double stretch_ns = spinners->stretch_ns;
    const double cost_ns = fmin(stretch_ns - spinners->stretch_before_ns, PROBE_COST_NS);

    return cost_ns > 0 ? 1 - cost_ns / stretch_ns : 1;
}

/* Adds samples to the account, for the time since that was brought up to date: those of the last
 * stage or, while a means serves, those of its trial. Rests are accounted by the next look. */
static void account_go_on(const struct spinners *spinners, int64_t now_ns,
                          struct work_account *account)
{
    const struct spin_trial *trial = &spinners->trial;
    const bool serves = trial->stage == SPIN_SERVES;
    const struct work_sample *sample = serves ? &spinners->tried[trial->means] : &spinners->sample;

    if (trial->stage != SPIN_RESTS && sample->sampled_ns > 0)
        work_account_add_all(account, &sample->account,
                             (double)(now_ns - spinners->accounted_ns) /
                                 (double)sample->sampled_ns);
}

static void account_stage(struct spinners *spinners, const struct spin_sight *sight, int64_t now_ns)
{
    const struct spin_trial *trial = &spinners->trial;

    spinners->sample.sampled_ns = sight->sampled_ns;
    if (trial->stage == SPIN_TRIES)
        spinners->tried[trial->means] = spinners->sample;
    account_go_on(spinners, now_ns, &spinners->account);
    if (trial->stage != SPIN_RESTS)
        spinners->accounted_ns = now_ns;
}

/* Evaluates the samples of the stage. */
static void samples_see(struct spinners *spinners, struct spin_sight *sight)
{
    struct spin_seen seen;

    spinners->sample.account = (struct work_account){0};
    if (!spin_trial_samples(&spinners->trial))
        return;
    sight->ran_ns = watched_processes_ran_ns(&spinners->watched) - spinners->ran_before_ns;
    for (int i = 0; i < spinners->watched.count; i++) {
        const struct watched *one = &spinners->watched.list[i];
        if (watched_see(&spinners->watched, i, &seen))
            spinners->unread = true;
        work_account_add(&spinners->sample.account, &one->id,
                         (int64_t)(unhindered_share(spinners) * (double)seen.ran_ns), seen.work_ns);
        sight->sampled_ran_ns += seen.ran_ns;
        sight->work_ns += seen.work_ns;
        sight->samples_count += seen.samples_count;
        sight->spinning_count += seen.spinning_count;
        sight->waiting_count += seen.waiting_count;
        for (int k = 0; k < seen.traps_count; k++)
            sight->elsewhere |= spin_traps_add(&spinners->traps, &seen.traps[k]);
        if (seen.where && spin_trial_suspects(&spinners->trial) &&
            !spinners->statistics.place.untrusted[0])
            code_place_find(spinners->options.proc_fd, one->id.pid, seen.where,
                            &spinners->statistics.place);
    }
    if (spinners->trial.stage != SPIN_LOOKS || !spin_trial_suspects(&spinners->trial))
        return;
    spinners->statistics.samples_count += sight->samples_count;
    spinners->statistics.spinning_count += sight->spinning_count;
}

/* True if traps would catch a thread: not in a program that nothing was loaded into. */
static bool is_trappable(const struct spinners *spinners)
{
    for (int i = 0; i < spinners->watched.count; i++)
        if (spin_traps_fit(&spinners->traps, &spinners->watched.list[i].id))
            return true;
    return false;
}

/* ---- what is done about it ---- */

static void nudge(struct spinners *spinners, const bool nudged[MACHINE_PROCESSORS_MAX],
                  int64_t interval_ns)
{
    /* If a nudger cannot be started, its processor is not nudged: nothing else is lost. */
    for (int i = 0; i < spinners->options.machine->processors_count; i++)
        (void)!nudgers_set(spinners->nudgers, i, nudged[i] ? interval_ns : 0);
}

/* Nudges processors that threads wait for, or did just before, as that goes back and forth. Returns
 * when it is due again. */
static int64_t follow(struct spinners *spinners, int64_t interval_ns, int64_t now_ns)
{
    bool nudged[MACHINE_PROCESSORS_MAX] = {0};
    struct spin_sight sight = {0};

    lines_see(spinners, now_ns, nudged, &sight);
    for (int i = 0; i < spinners->options.machine->processors_count; i++) {
        const bool lined = spinners->lined[i];
        spinners->lined[i] = nudged[i];
        nudged[i] |= lined;
    }
    nudge(spinners, nudged, interval_ns);
    if (spinners->renew_ns <= now_ns && !spinners->watched.sampled)
        renew(spinners, now_ns);
    return now_ns + FOLLOW_NS + spinners->watched.count * FOLLOW_THREAD_NS;
}

static void stage_end(struct spinners *spinners, int64_t now_ns)
{
    bool nudged[MACHINE_PROCESSORS_MAX] = {0};
    struct spin_sight sight = {.sampled_ns = now_ns - spinners->began_ns};
    const bool looked = spinners->trial.stage == SPIN_LOOKS;
    const bool suspected = spin_trial_suspects(&spinners->trial);

    sight.threads_count = world_threads_most(spinners->options.world);
    sight.oversubscribed = sight.threads_count > spinners->options.machine->processors_count;
    lines_see(spinners, now_ns, nudged, &sight);
    if (looked)
        spin_traps_clear(&spinners->traps);
    samples_see(spinners, &sight);
    account_stage(spinners, &sight, now_ns);
    sight.caught_count = page_gave_way_count(spinners->options.page) - spinners->caught_before;
    spinners->caught_before += sight.caught_count;
    sight.trappable = looked && is_trappable(spinners);
    spin_trial_step(&spinners->trial, &sight, now_ns);
    if (looked && suspected)
        spinners->seen = spin_sight_verdict(&sight);
    if (spin_trial_interval_ns(&spinners->trial))
        nudge(spinners, nudged, spin_trial_interval_ns(&spinners->trial));
    else
        nudgers_rest(spinners->nudgers);
    if (!spin_trial_traps(&spinners->trial))
        spin_traps_lift(&spinners->traps);
    spinners->began_ns = now_ns;
    renew(spinners, now_ns);
}

static int64_t catch_all(struct spinners *spinners, int64_t now_ns)
{
    if (spinners->renew_ns <= now_ns && !spinners->watched.sampled)
        renew(spinners, now_ns);
    watched_catch(&spinners->watched, &spinners->traps, now_ns);
    return now_ns + FOLLOW_NS;
}

/* To be called when the first threads are there; forgets how many there were before. */
static void begin(struct spinners *spinners, int64_t now_ns)
{
    spin_trial_begin(&spinners->trial, now_ns);
    spinners->began_ns = now_ns;
    (void)world_threads_most(spinners->options.world);
    renew(spinners, now_ns);
}

/* Returns when it is to be called again. */
static int64_t poll_auto(struct spinners *spinners, int64_t now_ns)
{
    const struct spin_trial *trial = &spinners->trial;
    int64_t next_ns = INT64_MAX;

    if (!spinners->began_ns)
        begin(spinners, now_ns);
    if (trial->until_ns <= now_ns)
        stage_end(spinners, now_ns);
    if (spin_trial_interval_ns(trial))
        next_ns = follow(spinners, spin_trial_interval_ns(trial), now_ns);
    else if (spin_trial_traps(trial))
        next_ns = catch_all(spinners, now_ns);
    if ((spin_trial_suspects(trial) || spin_trial_wants_self_sampling(trial)) &&
        watched_sample_themselves(&spinners->watched) && watched_ask(&spinners->watched, now_ns))
        next_ns = min_i64(next_ns, now_ns + FOLLOW_NS);
    return min_i64(next_ns, trial->until_ns);
}

void spinners_poll(struct spinners *spinners, int64_t now_ns)
{
    if (spinners->next_ns > now_ns)
        return;
    if (spinners->options.mode == SPIN_ALWAYS) {
        spinners->next_ns = follow(spinners, SPIN_INTERVAL_MIN_NS, now_ns);
        return;
    }
    spinners->next_ns = poll_auto(spinners, now_ns);
    if (spinners->blind) {
        nudgers_rest(spinners->nudgers);
        spin_traps_lift(&spinners->traps);
        watched_end(&spinners->watched);
        spinners->next_ns = INT64_MAX;
    }
}

bool spinners_are_blind(const struct spinners *spinners)
{
    return spinners->blind;
}

enum spinning spinners_seen(const struct spinners *spinners)
{
    const struct spin_trial *trial = &spinners->trial;

    if (spin_trial_opens(trial))
        return SPINNING_OPEN;
    return trial->stage == SPIN_SERVES && spin_trial_traps(trial) ? SPINNING_UNKNOWN
                                                                  : spinners->seen;
}

int64_t spinners_next_ns(const struct spinners *spinners)
{
    return spinners->next_ns;
}

/* ---- create, views, destroy ---- */

int spinners_create(const struct spinners_options *options, struct spinners **result)
{
    struct spinners *spinners = calloc(1, sizeof(*spinners));
    int error;

    if (!spinners)
        return -ENOMEM;
    spinners->options = *options;
    spinners->watched.world = options->world;
    spinners->watched.page = options->page;
    spinners->traps.page = options->page;
    spinners->traps.proc_fd = options->proc_fd;
    spinners->watched.places = &spinners->traps.places;
    spinners->watched.proc_fd = options->proc_fd;
    spinners->watched.threads_max = options->threads_max;
    spinners->gave_way_before = spinners->caught_before = page_gave_way_count(options->page);
    spinners->slept_before_ns = page_slept_ns(options->page);
    spinners->next_ns = options->mode == SPIN_NEVER ? INT64_MAX : 0;
    spinners->accounted_ns = clock_now_ns();
    for (int cpu = 0; cpu < CPU_MASK_CPUS_MAX; cpu++)
        spinners->processors[cpu] = -1;
    for (int i = 0; i < options->machine->processors_count; i++)
        spinners->processors[options->machine->processors[i].os_index] = i;
    error = nudgers_create(options->machine, &spinners->nudgers);
    if (error) {
        free(spinners);
        return error;
    }
    *result = spinners;
    return 0;
}

void spinners_account(const struct spinners *spinners, struct work_account *account)
{
    *account = spinners->account;
    if (spinners->trial.stage == SPIN_SERVES)
        account_go_on(spinners, clock_now_ns(), account);
}

void spinners_statistics(const struct spinners *spinners, struct spinners_statistics *statistics)
{
    *statistics = spinners->statistics;
    statistics->nudges_count = nudgers_count(spinners->nudgers);
    statistics->caught_count = page_gave_way_count(spinners->options.page) -
                               spinners->gave_way_before;
    statistics->slept_ns = page_slept_ns(spinners->options.page) - spinners->slept_before_ns;
}

void spinners_destroy(struct spinners *spinners)
{
    if (!spinners)
        return;
    spin_traps_clear(&spinners->traps);
    watched_end(&spinners->watched);
    nudgers_destroy(spinners->nudgers);
    free(spinners);
}
