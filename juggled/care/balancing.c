/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts, in this order:
 * - beginning: options, the table of masks, the job
 * - ending
 * - processes come and go
 * - looking: polls, statistics, threads */
#include "juggled/care/balancing.h"

#include "juggled/log.h"
#include "cli/foreign.h"
#include "libjuggle/linux/affinity.h"
#include "libjuggle/linux/clock.h"
#include "libjuggle/linux/problem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    THREADS_MAX = 1024,   /* in a job that does not say how many it has */
    THREADS_PER_WISH = 4, /* per expected thread: room for helpers and changing workers */
    LEFT_ALONE_TOLD = 8,  /* threads that the log names, one per line */
};

/* The interval between looks at a quiet job: one look costs about 100 us. */
#define LOOK_INTERVAL_NS NSEC_PER_SEC
/* A long look is split into pieces of this time, and all other events are served in between. */
#define LOOK_PIECE_NS (4 * NSEC_PER_MSEC)
/* Threads that are not complete after GATHER_SOON_NS are rarely complete soon after: looks then
 * come every GATHER_LATER_NS. */
#define GATHER_SOON_NS  (10 * NSEC_PER_SEC)
#define GATHER_LATER_NS (2 * NSEC_PER_SEC)

/* ---- beginning ---- */

/* Logs the first threads by name and the others in a single line, because there may be
 * thousands. */
static void tell_left_alone(struct balancing *balancing, const struct thread_info *info,
                            const char *reason)
{
    if (balancing->left_alone_count++ == LEFT_ALONE_TOLD)
        log_tell(LOG_INFO, balancing->name, "others are left alone, too");
    if (balancing->left_alone_count > LEFT_ALONE_TOLD)
        return;
    log_tell(LOG_INFO, balancing->name, "thread %d (%s) is left alone: %s", (int)info->id.tid,
             FOREIGN(info->comm), reason);
}

static void on_job_news(void *context, enum job_news news, const struct thread_info *info)
{
    static const char *const left_alone[JOB_NEWS_COUNT] = {
        [JOB_THREAD_PINNED] = "the program has pinned it",
        [JOB_THREAD_REFUSED] = "it cannot be moved",
        [JOB_THREAD_STARVED] = "it needs more open files than the service may have",
        [JOB_THREAD_CLAIMED] = "another juggle balances it (juggle --list)",
    };
    static const struct {
        int priority;
        const char *text;
    } told[JOB_NEWS_COUNT] = {
        [JOB_DISTRIBUTED] = {LOG_INFO, "the threads are complete: balancing"},
        [JOB_TABLE_FULL] = {LOG_WARNING, "has more threads than can be watched"},
        [JOB_PROCESSOR_LOST] = {LOG_NOTICE, "a processor is gone: balancing without it"},
        [JOB_PROCESSOR_FOUND] = {LOG_NOTICE, "a processor is back"},
        [JOB_GUARDIAN_RENEWED] = {LOG_WARNING, "the guardian was killed: another one was started"},
    };
    struct balancing *balancing = context;

    if (news == JOB_DISTRIBUTED)
        balancing->distributed = true;
    if (left_alone[news])
        tell_left_alone(balancing, info, left_alone[news]);
    else if (told[news].text)
        log_tell(told[news].priority, balancing->name, "%s", told[news].text);
    else if (news == JOB_THREAD_STUCK)
        log_tell(LOG_WARNING, balancing->name,
                 "thread %d (%s) could not be given its processors back", (int)info->id.tid,
                 FOREIGN(info->comm));
    else if (news == JOB_MACHINE_GROWN)
        log_tell(LOG_NOTICE, balancing->name,
                 "there are new processors, or a domain is back: balancing anew, on %d",
                 job_machine(balancing->job)->processors_count);
}

static int threads_room(const struct wish *wish)
{
    const int wanted = wish->threads * THREADS_PER_WISH;

    return wanted > THREADS_MAX ? wanted : THREADS_MAX;
}

static struct job_options options_of(struct balancing *balancing,
                                     const struct balancing_subject *subject, const pid_t *pids)
{
    struct job_options options = {
        .roots = pids,
        .roots_count = subject->processes->count,
        .roots_included = true,
        .listener = {on_job_news, balancing},
        .owned = true,
        .owner = subject->uid,
        .look_ns = LOOK_INTERVAL_NS,
        .piece_ns = LOOK_PIECE_NS,
        .claims_family = balancing->shared->claims_family,
        .neighbors = balancing->shared->neighbors,
    };

    wish_apply(subject->wish, &options);
    if (!balancing->shared->sees_spinning)
        options.spin = SPIN_NEVER;
    options.policy.threads_max = threads_room(subject->wish);
    if (options.shape == BALANCERS_AUTO)
        options.shape = BALANCERS_SINGLE;
    return options;
}

/* Creates the table of masks in the store, which outlives the service. Without a store *table_fd
 * is -1, and the job has a guardian of its own. */
static int table_open(const struct balancing *balancing, int *table_fd, char *problem)
{
    struct store *store = balancing->shared->store;

    *table_fd = -1;
    if (!store)
        return 0;
    int error = store_table(store, balancing->name, table_fd);
    if (error)
        return problem_of(problem, JOB_PROBLEM_SIZE, error, "no table of masks");
    error = store_guard(store);
    if (error) {
        close(*table_fd);
        store_forget_table(store, balancing->name);
        return problem_of(problem, JOB_PROBLEM_SIZE, error, "no guardian");
    }
    return 0;
}

static int job_make(struct balancing *balancing, const struct balancing_subject *subject,
                    const pid_t *pids, char *problem)
{
    struct job_options options = options_of(balancing, subject, pids);
    int table_fd;
    int error = table_open(balancing, &table_fd, problem);

    if (error)
        return error;
    options.table_fd = table_fd < 0 ? 0 : table_fd;
    error = job_create(&options, problem, &balancing->job);
    if (error == -ENOSPC || error == -EDQUOT)
        problem_of(problem, JOB_PROBLEM_SIZE, error, "no space for the table of masks");
    if (table_fd >= 0)
        close(table_fd);
    if (error && table_fd >= 0)
        store_forget_table(balancing->shared->store, balancing->name);
    return error;
}

static void job_drop(struct balancing *balancing)
{
    job_destroy(balancing->job);
    balancing->job = NULL;
    if (balancing->shared->store)
        store_forget_table(balancing->shared->store, balancing->name);
}

static struct job_thread *threads_list(struct job *job, int *count)
{
    const int room = job_threads(job, NULL, 0);
    struct job_thread *threads = calloc((size_t)room + 1, sizeof(*threads));

    *count = threads ? job_threads(job, threads, room) : 0;
    return threads;
}

/* Keeps a list of the threads. If there is no memory, the list is empty. */
static void threads_keep(struct balancing *balancing)
{
    free(balancing->threads);
    balancing->threads = threads_list(balancing->job, &balancing->threads_count);
}

/* Ends the job. If that takes more than one piece, hands it to the releases, with its listener
 * muted. */
static void job_leave(struct balancing *balancing)
{
    if (job_stop_begin(balancing->job)) {
        threads_keep(balancing);
        job_drop(balancing);
        return;
    }
    threads_keep(balancing);
    job_mute(balancing->job);
    releases_take(balancing->shared->releases, balancing->name, balancing->job);
    balancing->job = NULL;
}

/* Checks that the service may set the masks of all processes; their threads have the same user. */
static int refusal(const struct processes *processes, char *problem)
{
    for (int i = 0; i < processes->count; i++) {
        const pid_t pid = processes->list[i].pid;
        if (affinity_may_set(pid) != -EPERM)
            continue;
        /* A filter of system calls refuses even the mask of this thread itself. */
        if (affinity_may_set(0) == -EPERM)
            return problem_of(problem, JOB_PROBLEM_SIZE, -EPERM,
                              "no thread can be moved (sched_setaffinity)");
        snprintf(problem, JOB_PROBLEM_SIZE,
                 "process %d is another user's, and to move it needs CAP_SYS_NICE", (int)pid);
        return -EPERM;
    }
    return 0;
}

/* Makes a job of the processes that live. If one ends meanwhile, its pid may already belong to
 * another process: the job is dropped and made again without it. */
static int job_make_of_living(struct balancing *balancing, const struct balancing_subject *subject,
                              char *problem)
{
    pid_t pids[PROCESSES_MAX];
    int pidfds[PROCESSES_MAX];
    bool living;
    int error;

    do {
        const int count = processes_open(subject->processes, balancing->shared->proc_fd, pidfds);
        if (count <= 0)
            return problem_of(problem, JOB_PROBLEM_SIZE, count ? count : -ESRCH,
                              "no process of the job is left");
        for (int i = 0; i < count; i++)
            pids[i] = subject->processes->list[i].pid;
        error = refusal(subject->processes, problem);
        if (!error)
            error = job_make(balancing, subject, pids, problem);
        living = processes_close(pidfds, count);
        if (!error && !living)
            job_drop(balancing);
    } while (!error && !living);
    return error;
}

int balancing_begin(struct balancing *balancing, const struct balancing_subject *subject,
                    char problem[JOB_PROBLEM_SIZE])
{
    int error = job_make_of_living(balancing, subject, problem);

    if (error == -EALREADY && releases_count(balancing->shared->releases))
        return -EINPROGRESS;
    if (error)
        return error;
    error = job_start(balancing->job);
    if (error) {
        problem_of(problem, JOB_PROBLEM_SIZE, error, "no balancer threads");
        balancing_end(balancing);
    }
    balancing->gather_ns = clock_now_ns();
    balancing->left_alone_count = 0;
    return error;
}

/* ---- ending ---- */

void balancing_end(struct balancing *balancing)
{
    struct job_statistics statistics;

    if (!balancing->job)
        return;
    balancing_statistics(balancing, &statistics);
    job_leave(balancing);
    balancing->distributed = false;
    balancing->past = balancing->judged = statistics;
}

void balancing_free(struct balancing *balancing)
{
    balancing_end(balancing);
    free(balancing->threads);
}

/* ---- processes come, go ---- */

/* Adopts the process, and checks afterwards that it has not ended meanwhile: its pid could
 * belong to another process. */
int balancing_adopt(struct balancing *balancing, const struct process *process)
{
    int pidfd;
    int error = process_open(balancing->shared->proc_fd, process, &pidfd);

    if (error)
        return error;
    error = balancing->job ? job_adopt(balancing->job, process->pid) : 0;
    if (!error && process_ended(pidfd))
        error = -ESRCH;
    close(pidfd);
    return error;
}

int balancing_disown(struct balancing *balancing, pid_t pid)
{
    return balancing->job ? job_disown(balancing->job, pid, clock_now_ns()) : 0;
}

/* ---- looking ---- */

int64_t balancing_next_ns(const struct balancing *balancing)
{
    const int64_t next_ns = job_next_ns(balancing->job);
    const bool late = !balancing->distributed && !job_is_busy(balancing->job) &&
                      balancing->looked_ns - balancing->gather_ns > GATHER_SOON_NS;

    return late ? max_i64(next_ns, balancing->looked_ns + GATHER_LATER_NS) : next_ns;
}

int balancing_poll(struct balancing *balancing, int64_t now_ns)
{
    if (balancing_next_ns(balancing) > now_ns)
        return 0;
    balancing->looked_ns = now_ns;
    return job_poll(balancing->job, now_ns);
}

static const char *text_keep(char *kept, size_t size, const char *text)
{
    if (!text)
        return NULL;
    snprintf(kept, size, "%s", text);
    return kept;
}

/* Copies the texts, because they belong to the job and are needed after its end. */
static void texts_keep(struct balancing *balancing, struct job_statistics *last)
{
    last->source = text_keep(balancing->source, sizeof(balancing->source), last->source);
    last->priority = text_keep(balancing->priority, sizeof(balancing->priority), last->priority);
    last->capacity = text_keep(balancing->capacity, sizeof(balancing->capacity), last->capacity);
    last->speeds = text_keep(balancing->speeds, sizeof(balancing->speeds), last->speeds);
    last->shortfall = text_keep(balancing->shortfall, sizeof(balancing->shortfall),
                                last->shortfall);
}

void balancing_statistics(struct balancing *balancing, struct job_statistics *statistics)
{
    if (balancing->job) {
        struct job_statistics *last = &balancing->last;
        job_statistics(balancing->job, last);
        texts_keep(balancing, last);
        job_statistics_add(last, &balancing->past);
        program_times_add(&last->times, &balancing->past.times);
    }
    *statistics = balancing->last;
}

void balancing_turns(struct balancing *balancing, struct worth_turns *turns)
{
    const struct job_statistics *before = &balancing->judged;
    struct job_statistics now;

    balancing_statistics(balancing, &now);
    *turns = (struct worth_turns){
        .count = now.rounds_count - before->rounds_count,
        .moves = now.migrations_count - before->migrations_count,
        .failed = now.moves_failed_count - before->moves_failed_count,
        .cost_ns = now.balancers_cpu_ns - before->balancers_cpu_ns,
        .period_ns = before->rounds_count && now.threads_count ? max_i64(1, now.period_ns) : 0,
    };
    balancing->judged = now;
}

bool balancing_is_kept(const struct balancing *balancing)
{
    return !balancing->job || !balancing->shared->store ||
           store_has_table(balancing->shared->store, balancing->name);
}

struct job_thread *balancing_threads(const struct balancing *balancing, int *count)
{
    if (balancing->job)
        return threads_list(balancing->job, count);
    const size_t size = (size_t)balancing->threads_count * sizeof(struct job_thread);
    struct job_thread *threads = size ? malloc(size) : NULL;
    *count = threads ? balancing->threads_count : 0;
    return threads ? memcpy(threads, balancing->threads, size) : NULL;
}

int balancing_living(const struct balancing *balancing)
{
    int count = 0, living = 0;
    struct job_thread *threads = balancing->job ? threads_list(balancing->job, &count) : NULL;

    for (int i = 0; i < count; i++)
        living += !threads[i].ended;
    free(threads);
    return living;
}
