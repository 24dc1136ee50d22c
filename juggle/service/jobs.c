/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/service/jobs.h"

#include "juggle/service/log.h"
#include "juggle/service/stretch.h"
#include "libjuggle/linux/clock.h"
#include "libjuggle/linux/cpu_mask.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    NAME_SIZE = 64,
    THREADS_MAX = 1024,   /* of a job that does not say how many it has */
    THREADS_PER_WISH = 4, /* room for helpers, and for workers that come and go */
    JOBS_RADIX = 1 << 20, /* more than there can be jobs */
    PERCENT = 100,
};

/* A job that it is not worth rests for so long, and twice as long each time that it is not again.
 */
#define REST_MIN_NS (30 * NSEC_PER_SEC)
#define REST_MAX_NS (600 * NSEC_PER_SEC)
/* It comes back earlier when the job or its company has changed, but not at every change. */
#define CHANGE_INTERVAL_NS (10 * NSEC_PER_SEC)
/* Quiet jobs are looked at so often: a look costs about 100 us. */
#define LOOK_INTERVAL_NS NSEC_PER_SEC
/* Threads that were not complete after the first while seldom are soon. */
#define GATHER_SOON_NS  (10 * NSEC_PER_SEC)
#define GATHER_LATER_NS (2 * NSEC_PER_SEC)

/* A trial compares the progress with balancing and without, stretch after stretch. */
enum trial_stage {
    TRIAL_NONE,
    TRIAL_WITH,
    TRIAL_WITHOUT,
    TRIAL_BACK, /* between two pairs: it begins when the threads are complete again */
};

struct charge {
    char name[JOB_NAME_SIZE];
    uid_t uid;
    enum job_origin origin;
    struct wish wish;
    int processes_count;
    struct process processes[JOB_PROCESSES_MAX];

    struct job *job; /* NULL while it rests */
    bool distributed;
    int64_t started_ns;
    int64_t gather_ns; /* since when its threads are awaited */
    int64_t looked_ns;
    int64_t resume_ns; /* while it rests */
    int64_t rest_ns;   /* for how long next time */
    int64_t change_ns; /* and when to look whether something has changed */
    long rested_with;  /* what there was then, see company */
    char reason[JOB_PROBLEM_SIZE];
    int64_t judge_ns;
    struct worth worth;
    enum trial_stage trial;
    struct stretch *stretch; /* of the trial */
    double rate_with;
    struct job_statistics judged; /* at the last judgement */
    struct job_statistics last;   /* when it was last asked, to go on from */
    struct job_statistics past;   /* of balancings that were given up: their counts */
    char source[NAME_SIZE], priority[NAME_SIZE];
    struct job_thread *threads; /* when the balancing ended last */
    int threads_count;
};

struct jobs {
    struct jobs_options options;
    int count;
    int room;
    struct charge **list;
};

/* ---- create, destroy ---- */

int jobs_create(const struct jobs_options *options, struct jobs **result)
{
    struct jobs *jobs = calloc(1, sizeof(*jobs));

    if (!jobs)
        return -ENOMEM;
    jobs->options = *options;
    *result = jobs;
    return 0;
}

void jobs_limit(struct jobs *jobs, int jobs_max, int jobs_per_user)
{
    jobs->options.jobs_max = jobs_max;
    jobs->options.jobs_per_user = jobs_per_user;
}

static int list_add(struct jobs *jobs, struct charge *charge)
{
    if (jobs->count == jobs->room) {
        const int room = jobs->room ? 2 * jobs->room : 16;
        struct charge **list = realloc(jobs->list, (size_t)room * sizeof(struct charge *));
        if (!list)
            return -ENOMEM;
        jobs->list = list;
        jobs->room = room;
    }
    jobs->list[jobs->count++] = charge;
    return 0;
}

/* NULL if the job has not got it. */
static struct process *process_of(struct charge *charge, pid_t pid)
{
    for (int i = 0; i < charge->processes_count; i++)
        if (charge->processes[i].pid == pid)
            return &charge->processes[i];
    return NULL;
}

static void list_drop(struct jobs *jobs, const struct charge *charge)
{
    int i = 0;

    while (jobs->list[i] != charge)
        i++;
    jobs->list[i] = jobs->list[--jobs->count];
}

/* Without memory for them they are not told of. */
static void threads_keep(struct charge *charge)
{
    const int count = job_threads(charge->job, NULL, 0);
    struct job_thread *threads = calloc((size_t)count + 1, sizeof(*threads));

    free(charge->threads);
    charge->threads = threads;
    charge->threads_count = threads ? job_threads(charge->job, threads, count) : 0;
}

/* Ends the balancing; the charge stays. */
static void balancing_end(struct jobs *jobs, struct charge *charge)
{
    struct job_statistics statistics;

    if (!charge->job)
        return;
    charge_statistics(charge, &statistics);
    job_stop(charge->job);
    threads_keep(charge);
    job_destroy(charge->job);
    charge->job = NULL;
    charge->distributed = false;
    charge->past = statistics;
    if (jobs->options.store)
        store_forget_table(jobs->options.store, charge->name);
}

static void charge_free(struct charge *charge)
{
    if (!charge)
        return;
    stretch_destroy(charge->stretch);
    free(charge->threads);
    free(charge);
}

void jobs_destroy(struct jobs *jobs)
{
    if (!jobs)
        return;
    for (int i = 0; i < jobs->count; i++) {
        balancing_end(jobs, jobs->list[i]);
        charge_free(jobs->list[i]);
    }
    free(jobs->list);
    free(jobs);
}

/* ---- balancing ---- */

static void told(void *context, enum job_news news, const struct thread_info *info)
{
    struct charge *charge = context;

    switch (news) {
    case JOB_DISTRIBUTED:
        charge->distributed = true;
        log_tell(LOG_INFO, charge->name, "the threads are complete: balancing");
        break;
    case JOB_CROWDED:
        log_tell(LOG_WARNING, charge->name, "has more threads than can be watched");
        break;
    case JOB_THREAD_PLACED:
    case JOB_THREAD_REFUSED:
        log_tell(LOG_INFO, charge->name, "thread %d (%s) cannot be placed and is left alone",
                 (int)info->id.tid, info->comm);
        break;
    case JOB_PROCESSOR_LOST:
        log_tell(LOG_NOTICE, charge->name, "a processor is gone: balancing without it");
        break;
    case JOB_PROCESSOR_FOUND:
        log_tell(LOG_NOTICE, charge->name, "a processor is back");
        break;
    case JOB_THREAD_JOINED:
    case JOB_THREAD_LEFT:
    case JOB_NEWS_COUNT:
        break;
    }
}

static const char *text_or_null(const char *text)
{
    return *text ? text : NULL;
}

static int threads_room(const struct wish *wish)
{
    const int wanted = wish->threads * THREADS_PER_WISH;

    return wanted > THREADS_MAX ? wanted : THREADS_MAX;
}

static struct job_options options_of(struct charge *charge, const pid_t *roots, int roots_count)
{
    const struct wish *wish = &charge->wish;

    return (struct job_options){
        .roots = roots,
        .roots_count = roots_count,
        .roots_included = true,
        .cpus = text_or_null(wish->cpus),
        .domains = text_or_null(wish->domains),
        .inter_domain = wish->inter_domain,
        .threads_expected = wish->threads,
        .idle_threads = wish->idle,
        .idle_comm = text_or_null(wish->idle_comm),
        .match = text_or_null(wish->match),
        .override = wish->override,
        .progress = PROGRESS_AUTO,
        .policy =
            {
                .kind = wish->policy,
                .period_ns = wish->period_ns,
                .jitter = 0.1,
                .threads_max = threads_room(wish),
            },
        .shape = BALANCERS_SINGLE,
        .listener = {told, charge},
        .owned = true,
        .owner = charge->uid,
        .look_ns = LOOK_INTERVAL_NS,
    };
}

/* Opens those that live, and forgets the others. */
static int processes_open(const struct jobs *jobs, struct charge *charge, pid_t *pids, int *pidfds)
{
    int living = 0;

    for (int i = 0; i < charge->processes_count; i++) {
        if (process_open(jobs->options.proc_fd, &charge->processes[i], &pidfds[living]))
            continue;
        charge->processes[living] = charge->processes[i];
        pids[living] = charge->processes[living].pid;
        living++;
    }
    charge->processes_count = living;
    return living;
}

/* True if none has ended since it was opened: so nobody has got its number. */
static bool processes_close(const int *pidfds, int count)
{
    bool living = true;

    for (int i = 0; i < count; i++) {
        living = living && !process_ended(pidfds[i]);
        close(pidfds[i]);
    }
    return living;
}

static int job_make(struct jobs *jobs, struct charge *charge, const struct job_options *wanted,
                    char *problem)
{
    struct job_options options = *wanted;
    int table_fd = -1;
    int error = 0;

    if (jobs->options.store)
        error = store_table(jobs->options.store, charge->name, &table_fd);
    if (error) {
        snprintf(problem, JOB_PROBLEM_SIZE, "no table of masks: %s", strerror(-error));
        return error;
    }
    options.table_fd = table_fd < 0 ? 0 : table_fd;
    error = job_create(&options, problem, &charge->job);
    if (table_fd >= 0)
        close(table_fd);
    return error;
}

/* Where the threads of all other jobs are. */
static void crowd_count(struct jobs *jobs, int crowd[CPU_MASK_CPUS_MAX])
{
    struct job_thread *threads = calloc(THREADS_MAX, sizeof(*threads));

    memset(crowd, 0, CPU_MASK_CPUS_MAX * sizeof(*crowd));
    for (int i = 0; threads && i < jobs->count; i++) {
        if (!jobs->list[i]->job)
            continue;
        const int count = charge_threads(jobs->list[i], threads, THREADS_MAX);
        for (int j = 0; j < count && j < THREADS_MAX; j++)
            if (threads[j].cpu >= 0 && !threads[j].ended)
                crowd[threads[j].cpu]++;
    }
    free(threads);
}

static int balancing_begin(struct jobs *jobs, struct charge *charge, char *problem)
{
    int crowd[CPU_MASK_CPUS_MAX];
    pid_t pids[JOB_PROCESSES_MAX];
    int pidfds[JOB_PROCESSES_MAX];
    bool living;
    int error;

    crowd_count(jobs, crowd);
    do {
        const int count = processes_open(jobs, charge, pids, pidfds);
        if (!count)
            return -ESRCH;
        struct job_options options = options_of(charge, pids, count);
        options.crowd = crowd;
        options.crowd_count = CPU_MASK_CPUS_MAX;
        error = job_make(jobs, charge, &options, problem);
        living = processes_close(pidfds, count);
        if (!error && !living) {
            job_destroy(charge->job);
            charge->job = NULL;
        }
    } while (!error && !living);
    if (error)
        return error;
    error = job_start(charge->job);
    if (error) {
        snprintf(problem, JOB_PROBLEM_SIZE, "%s", strerror(-error));
        balancing_end(jobs, charge);
    }
    charge->gather_ns = clock_now_ns();
    charge->judge_ns = charge->gather_ns + WORTH_JUDGE_NS;
    return error;
}

/* ---- charges come, go ---- */

static void record(const struct jobs *jobs, const struct charge *charge)
{
    json_t *processes = json_array();

    /* A rule finds its processes again. */
    if (!jobs->options.store || charge->origin == ORIGIN_RULE) {
        json_decref(processes);
        return;
    }
    for (int i = 0; i < charge->processes_count; i++)
        json_array_append_new(processes, json_pack("{s:i, s:I}", "pid",
                                                   (int)charge->processes[i].pid, "start_ticks",
                                                   (json_int_t)charge->processes[i].start_ticks));
    json_t *json = json_pack("{s:s, s:i, s:o, s:o}", "job", charge->name, "origin",
                             (int)charge->origin, "settings", wish_to_json(&charge->wish),
                             "processes", processes);
    int error = json ? store_record(jobs->options.store, charge->name, json) : -ENOMEM;
    if (error)
        log_tell(LOG_WARNING, charge->name, "cannot be recorded, and ends with the service: %s",
                 strerror(-error));
    json_decref(json);
}

static int jobs_of_user(const struct jobs *jobs, uid_t uid)
{
    int count = 0;

    /* The list has no holes: the analyzer takes it for zeroed memory. */
    for (int i = 0; i < jobs->count; i++)
        count += jobs->list[i]->uid == uid; // NOLINT(clang-analyzer-core.NullDereference)
    return count;
}

/* What stands in the way of a new job, by an older one or by a limit. */
static int admit(const struct jobs *jobs, const struct jobs_request *request, const char *name,
                 struct charge **charge)
{
    struct charge *same = jobs_find(jobs, name);
    struct charge *holder = jobs_find_process(jobs, request->process->pid);

    if (same || holder) {
        *charge = same ? same : holder;
        return same ? -EEXIST : -EBUSY;
    }
    if (jobs->count >= jobs->options.jobs_max)
        return -ENOSPC;
    return jobs_of_user(jobs, request->process->uid) >= jobs->options.jobs_per_user ? -EUSERS : 0;
}

static int charge_make(struct jobs *jobs, const struct jobs_request *request, const char *name,
                       char *problem, struct charge **result)
{
    struct charge *charge = calloc(1, sizeof(*charge));
    int error = -ENOMEM;

    if (!charge)
        goto fail;
    snprintf(charge->name, sizeof(charge->name), "%s", name);
    charge->uid = request->process->uid;
    charge->origin = request->origin;
    charge->wish = *request->wish;
    charge->started_ns = clock_now_ns();
    charge->rest_ns = REST_MIN_NS;
    charge->processes_count = 1;
    charge->processes[0] = *request->process;
    charge->processes[0].joins = 1;
    error = balancing_begin(jobs, charge, problem);
    if (!error)
        error = list_add(jobs, charge);
    if (error)
        goto fail;
    *result = charge;
    return 0;

fail:
    if (error == -ENOMEM)
        snprintf(problem, JOB_PROBLEM_SIZE, "%s", strerror(ENOMEM));
    if (charge) {
        balancing_end(jobs, charge);
        if (jobs->options.store)
            store_forget(jobs->options.store, name);
    }
    charge_free(charge);
    return error;
}

int jobs_add(struct jobs *jobs, const struct jobs_request *request, char problem[JOB_PROBLEM_SIZE],
             struct charge **charge)
{
    char name[JOB_NAME_SIZE];

    if (request->name)
        snprintf(name, sizeof(name), "%u/%s", (unsigned)request->process->uid, request->name);
    else
        snprintf(name, sizeof(name), "%u/%d", (unsigned)request->process->uid,
                 (int)request->process->pid);
    int error = admit(jobs, request, name, charge);
    if (!error)
        error = charge_make(jobs, request, name, problem, charge);
    if (error)
        return error;
    record(jobs, *charge);
    log_tell(LOG_INFO, name, "taken in charge (%s), beginning with process %d",
             job_origin_name(request->origin), (int)request->process->pid);
    return 0;
}

int jobs_adopt(struct jobs *jobs, struct charge *charge, const struct process *process)
{
    struct charge *holder = jobs_find_process(jobs, process->pid);
    int pidfd;

    if (holder && holder != charge)
        return -EBUSY;
    if (holder) {
        process_of(charge, process->pid)->joins++;
        return 0;
    }
    if (charge->processes_count == JOB_PROCESSES_MAX)
        return -ENOSPC;
    int error = process_open(jobs->options.proc_fd, process, &pidfd);
    if (error)
        return error;
    error = charge->job ? job_adopt(charge->job, process->pid) : 0;
    if (!error && process_ended(pidfd))
        error = -ESRCH;
    close(pidfd);
    if (error)
        return error;
    charge->processes[charge->processes_count] = *process;
    charge->processes[charge->processes_count++].joins = 1;
    record(jobs, charge);
    return 0;
}

static void charge_end(struct jobs *jobs, struct charge *charge, const char *why)
{
    balancing_end(jobs, charge);
    if (jobs->options.ended)
        jobs->options.ended(jobs->options.context, charge);
    if (jobs->options.store)
        store_forget(jobs->options.store, charge->name);
    log_tell(LOG_INFO, charge->name, "%s", why);
    list_drop(jobs, charge);
    charge_free(charge);
}

void jobs_release(struct jobs *jobs, struct charge *charge)
{
    charge_end(jobs, charge, "released");
}

int jobs_leave(struct jobs *jobs, pid_t pid)
{
    struct charge *charge = jobs_find_process(jobs, pid);

    if (!charge || charge->origin != ORIGIN_JOIN)
        return -ESRCH;
    struct process *process = process_of(charge, pid);
    if (--process->joins > 0)
        return 0;
    *process = charge->processes[--charge->processes_count];
    const int error = charge->job ? job_disown(charge->job, pid, clock_now_ns()) : 0;
    if (!charge->processes_count || error == -ESRCH)
        charge_end(jobs, charge, "all have left");
    else
        record(jobs, charge);
    return 0;
}

/* What a resting job comes back for when it is another one: its threads, and how many jobs there
 * are. */
static long company(const struct jobs *jobs, const struct charge *charge)
{
    long threads = 0;

    for (int i = 0; i < charge->processes_count; i++)
        threads += process_threads(jobs->options.proc_fd, &charge->processes[i]);
    return threads * JOBS_RADIX + jobs->count;
}

static void trial_drop(struct charge *charge)
{
    stretch_destroy(charge->stretch);
    charge->stretch = NULL;
    charge->trial = TRIAL_NONE;
}

static void rest(struct jobs *jobs, struct charge *charge, int64_t now_ns, const char *why)
{
    balancing_end(jobs, charge);
    trial_drop(charge);
    charge->resume_ns = now_ns + charge->rest_ns;
    charge->change_ns = now_ns + CHANGE_INTERVAL_NS;
    charge->rested_with = company(jobs, charge);
    snprintf(charge->reason, sizeof(charge->reason), "%s", why);
    log_tell(LOG_NOTICE, charge->name, "not balanced for %lld s: %s",
             (long long)(charge->rest_ns / NSEC_PER_SEC), why);
    charge->rest_ns = min_i64(2 * charge->rest_ns, REST_MAX_NS);
}

int jobs_period(struct jobs *jobs, struct charge *charge, int64_t period_ns,
                char problem[JOB_PROBLEM_SIZE])
{
    balancing_end(jobs, charge);
    trial_drop(charge);
    charge->worth = (struct worth){0};
    charge->wish.period_ns = period_ns;
    charge->rest_ns = REST_MIN_NS;
    int error = balancing_begin(jobs, charge, problem);
    if (error)
        rest(jobs, charge, clock_now_ns(), error == -ESRCH ? "no process is left" : problem);
    record(jobs, charge);
    return error;
}

/* ---- polling ---- */

static bool is_moving(const struct charge *charge)
{
    return charge->wish.policy != POLICY_STATIC && charge->wish.policy != POLICY_NONE;
}

static void judge(struct jobs *jobs, struct charge *charge, int64_t now_ns)
{
    struct job_statistics now;

    charge->judge_ns = now_ns + WORTH_JUDGE_NS;
    charge_statistics(charge, &now);
    const bool counted = charge->judged.rounds_count > 0 && is_moving(charge) && now.threads_count;
    const int64_t moves = now.migrations_count - charge->judged.migrations_count;
    const enum worth_finding finding = worth_judge(
        &charge->worth, now.rounds_count - charge->judged.rounds_count,
        counted ? WORTH_JUDGE_NS / max_i64(1, now.period_ns) : 0, moves);
    charge->judged = now;
    if (is_moving(charge))
        worth_plan(&charge->worth, now.threads_count, now.processors_count, now_ns);
    if (finding != WORTH_IT)
        rest(jobs, charge, now_ns, worth_reason(finding));
    else if (moves && !charge->worth.suspected)
        charge->rest_ns = REST_MIN_NS;
}

static void resume(struct jobs *jobs, struct charge *charge, int64_t now_ns)
{
    char problem[JOB_PROBLEM_SIZE];

    charge->worth.overruns = 0;
    charge->worth.still = 0;
    charge->judged = charge->past;
    int error = balancing_begin(jobs, charge, problem);
    if (error == -ESRCH)
        charge_end(jobs, charge, "has ended");
    else if (error)
        rest(jobs, charge, now_ns, problem);
}

/* ---- trials ---- */

static void trial_begin(const struct jobs *jobs, struct charge *charge, int64_t now_ns)
{
    int error = charge->stretch
                    ? 0
                    : stretch_create(jobs->options.proc_fd, charge->job, &charge->stretch);

    if (!error)
        error = stretch_begin(charge->stretch, now_ns);
    if (error) {
        worth_postpone(&charge->worth, now_ns);
        trial_drop(charge);
        return;
    }
    charge->trial = TRIAL_WITH;
    charge->judge_ns = now_ns + WORTH_STRETCH_NS;
}

/* The balanced stretch is over: the other one follows at once. */
static void trial_turn(struct jobs *jobs, struct charge *charge, int64_t now_ns)
{
    int error = stretch_end(charge->stretch, now_ns, &charge->rate_with);

    if (!error) {
        balancing_end(jobs, charge);
        error = stretch_begin(charge->stretch, now_ns);
    }
    if (error) {
        worth_postpone(&charge->worth, now_ns);
        trial_drop(charge);
    }
    charge->trial = error ? TRIAL_NONE : TRIAL_WITHOUT;
    snprintf(charge->reason, sizeof(charge->reason), "%s", "its progress without is measured");
    charge->judge_ns = now_ns + WORTH_JUDGE_NS;
    charge->resume_ns = error ? now_ns : now_ns + WORTH_STRETCH_NS;
    charge->change_ns = INT64_MAX;
}

static void trial_rest(struct jobs *jobs, struct charge *charge, int64_t now_ns,
                       enum worth_finding finding, double rate_without)
{
    char why[JOB_PROBLEM_SIZE];

    snprintf(why, sizeof(why),
             "%s: its slowest thread runs %.0f %% of the time with balancing, %.0f %% without",
             worth_reason(finding), PERCENT * charge->rate_with, PERCENT * rate_without);
    rest(jobs, charge, now_ns, why);
}

/* So is the one without balancing. */
static void trial_return(struct jobs *jobs, struct charge *charge, int64_t now_ns)
{
    enum worth_finding finding = WORTH_IT;
    double rate_without = 0;
    int error = stretch_end(charge->stretch, now_ns, &rate_without);

    if (error)
        worth_postpone(&charge->worth, now_ns);
    const bool over = error || worth_compare(&charge->worth, charge->rate_with, rate_without,
                                             now_ns, &finding);
    charge->trial = TRIAL_BACK;
    if (over)
        trial_drop(charge);
    if (finding == WORTH_IT)
        resume(jobs, charge, now_ns);
    else
        trial_rest(jobs, charge, now_ns, finding, rate_without);
}

/* ---- what is due ---- */

static void poll_resting(struct jobs *jobs, struct charge *charge, int64_t now_ns)
{
    if (charge->resume_ns <= now_ns) {
        if (charge->trial == TRIAL_WITHOUT)
            trial_return(jobs, charge, now_ns);
        else
            resume(jobs, charge, now_ns);
    } else if (charge->change_ns <= now_ns) {
        charge->change_ns = now_ns + CHANGE_INTERVAL_NS;
        if (company(jobs, charge) != charge->rested_with)
            charge->resume_ns = now_ns;
    }
}

static void poll_balanced(struct jobs *jobs, struct charge *charge, int64_t now_ns)
{
    if (!charge->distributed)
        charge->judge_ns = now_ns +
                           (charge->trial == TRIAL_BACK ? LOOK_INTERVAL_NS : WORTH_JUDGE_NS);
    else if (charge->trial == TRIAL_WITH)
        trial_turn(jobs, charge, now_ns);
    else if (charge->trial == TRIAL_BACK || worth_trial_due(&charge->worth, now_ns))
        trial_begin(jobs, charge, now_ns);
    else
        judge(jobs, charge, now_ns);
}

static int64_t look_ns(const struct charge *charge)
{
    const int64_t next_ns = job_next_ns(charge->job);
    const bool late = !charge->distributed &&
                      charge->looked_ns - charge->gather_ns > GATHER_SOON_NS;

    return late ? max_i64(next_ns, charge->looked_ns + GATHER_LATER_NS) : next_ns;
}

static void charge_poll(struct jobs *jobs, struct charge *charge, int64_t now_ns)
{
    if (!charge->job) {
        poll_resting(jobs, charge, now_ns);
        return;
    }
    if (look_ns(charge) <= now_ns) {
        charge->looked_ns = now_ns;
        if (job_poll(charge->job, now_ns) == -ESRCH) {
            charge_end(jobs, charge, "has ended");
            return;
        }
    }
    if (charge->judge_ns <= now_ns)
        poll_balanced(jobs, charge, now_ns);
}

void jobs_poll(struct jobs *jobs, int64_t now_ns)
{
    /* From the last on: a job that ends is replaced by the last one, which was polled already. */
    for (int i = jobs->count - 1; i >= 0; i--)
        charge_poll(jobs, jobs->list[i], now_ns);
}

int64_t jobs_next_ns(const struct jobs *jobs)
{
    int64_t next_ns = INT64_MAX;

    for (int i = 0; i < jobs->count; i++) {
        const struct charge *charge = jobs->list[i];
        next_ns = min_i64(next_ns, charge->job ? min_i64(look_ns(charge), charge->judge_ns)
                                               : min_i64(charge->resume_ns, charge->change_ns));
    }
    return next_ns;
}

/* ---- resuming ---- */

/* A process of the record that still lives, and still is the same user's. */
static bool process_from_json(const struct jobs *jobs, const json_t *json, uid_t uid,
                              struct process *process)
{
    const pid_t pid = (pid_t)json_integer_value(json_object_get(json, "pid"));
    const json_int_t start_ticks = json_integer_value(json_object_get(json, "start_ticks"));

    return process_identify(jobs->options.proc_fd, pid, process) == 0 &&
           process->start_ticks == (uint64_t)start_ticks && process->uid == uid &&
           !process->foreign;
}

static bool resume_record(struct jobs *jobs, const json_t *json)
{
    const char *job = json_string_value(json_object_get(json, "job"));
    const json_t *processes = json_object_get(json, "processes");
    const char *slash = job ? strchr(job, '/') : NULL;
    struct charge *charge = NULL;
    char problem[JOB_PROBLEM_SIZE];
    struct process process;
    const char *field;
    struct wish wish;
    size_t i;
    json_t *entry;

    if (!slash || wish_from_json(json_object_get(json, "settings"), &wish, &field))
        return false;
    const uid_t uid = (uid_t)strtoul(job, NULL, 10);
    const enum job_origin origin = (enum job_origin)json_integer_value(
        json_object_get(json, "origin"));
    const struct jobs_request request = {origin, slash + 1, &process, &wish};
    json_array_foreach(processes, i, entry)
    {
        if (!process_from_json(jobs, entry, uid, &process))
            continue;
        if (charge)
            (void)!jobs_adopt(jobs, charge, &process);
        else if (jobs_add(jobs, &request, problem, &charge))
            charge = NULL;
    }
    return charge != NULL;
}

int jobs_resume(struct jobs *jobs)
{
    json_t *records = jobs->options.store ? store_records(jobs->options.store) : NULL;
    int resumed = 0;
    size_t i;
    json_t *json;

    json_array_foreach(records, i, json) resumed += resume_record(jobs, json);
    json_decref(records);
    return resumed;
}

/* ---- looking ---- */

int jobs_count(const struct jobs *jobs)
{
    return jobs->count;
}

struct charge *jobs_at(const struct jobs *jobs, int index)
{
    return jobs->list[index];
}

struct charge *jobs_find(const struct jobs *jobs, const char *job)
{
    for (int i = 0; i < jobs->count; i++)
        if (!strcmp(jobs->list[i]->name, job))
            return jobs->list[i];
    return NULL;
}

struct charge *jobs_find_process(const struct jobs *jobs, pid_t pid)
{
    for (int i = 0; i < jobs->count; i++)
        if (process_of(jobs->list[i], pid))
            return jobs->list[i];
    return NULL;
}

const char *charge_job(const struct charge *charge)
{
    return charge->name;
}

uid_t charge_uid(const struct charge *charge)
{
    return charge->uid;
}

enum job_origin charge_origin(const struct charge *charge)
{
    return charge->origin;
}

enum charge_state charge_state(const struct charge *charge)
{
    if (!charge->job)
        return CHARGE_RESTING;
    return charge->distributed ? CHARGE_BALANCING : CHARGE_GATHERING;
}

const char *charge_reason(const struct charge *charge)
{
    return charge->job ? "" : charge->reason;
}

const struct wish *charge_wish(const struct charge *charge)
{
    return &charge->wish;
}

int charge_processes(const struct charge *charge, const struct process **processes)
{
    *processes = charge->processes;
    return charge->processes_count;
}

int64_t charge_elapsed_ns(const struct charge *charge, int64_t now_ns)
{
    return now_ns - charge->started_ns;
}

/* The texts outlive the job, the counts go on from where earlier balancings ended. */
void charge_statistics(struct charge *charge, struct job_statistics *statistics)
{
    if (charge->job) {
        job_statistics(charge->job, &charge->last);
        snprintf(charge->source, sizeof(charge->source), "%s", charge->last.source);
        snprintf(charge->priority, sizeof(charge->priority), "%s", charge->last.priority);
        charge->last.source = charge->source;
        charge->last.priority = charge->priority;
        charge->last.rounds_count += charge->past.rounds_count;
        charge->last.migrations_count += charge->past.migrations_count;
        charge->last.balancers_cpu_ns += charge->past.balancers_cpu_ns;
    }
    *statistics = charge->last;
}

int charge_threads(struct charge *charge, struct job_thread *threads, int threads_max)
{
    if (charge->job)
        return job_threads(charge->job, threads, threads_max);
    for (int i = 0; i < charge->threads_count && i < threads_max; i++)
        threads[i] = charge->threads[i];
    return charge->threads_count;
}

const char *job_origin_name(enum job_origin origin)
{
    static const char *const names[ORIGINS_COUNT] = {
        [ORIGIN_RULE] = "rule",
        [ORIGIN_REQUEST] = "request",
        [ORIGIN_JOIN] = "join",
    };

    return names[origin];
}

const char *charge_state_name(enum charge_state state)
{
    static const char *const names[] = {
        [CHARGE_GATHERING] = "gathering",
        [CHARGE_BALANCING] = "balancing",
        [CHARGE_RESTING] = "resting",
    };

    return names[state];
}
