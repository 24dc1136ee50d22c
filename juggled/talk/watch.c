/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts, in this order:
 * - create, destroy
 * - rules, and processes that were released
 * - matches: the rule that takes a process, and what is logged
 * - looking: at each process that is new or has another appearance */
#include "juggled/talk/watch.h"

#include "juggled/log.h"
#include "juggled/talk/seen.h"
#include "libjuggle/linux/clock.h"
#include "libjuggle/linux/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    /* A process that was not taken is judged again after this many looks, because no event
     * reports that it was moved to another control group, or that an obstacle is gone. */
    LOOKS_PER_JUDGEMENT = 5,
    NAME_SIZE = 32,
    OTHERS_SIZE = 96,
};

#define INTERVAL_NS NSEC_PER_SEC
/* Looking takes at most 1 / COST_RATIO of a processor, unless looks would be farther apart than
 * INTERVAL_MAX_NS. */
#define COST_RATIO      500
#define INTERVAL_MAX_NS (5 * NSEC_PER_SEC)
/* A look takes PIECE_NS at a time; then other events are served for PAUSE_NS. */
#define PIECE_NS (4 * NSEC_PER_MSEC)
#define PAUSE_NS (2 * NSEC_PER_MSEC)
/* Interval between two log lines about processes of one rule. */
#define REFUSALS_INTERVAL_NS (60 * NSEC_PER_SEC)

/* What has been logged about processes of a rule that could not be balanced. */
struct refusals {
    int64_t told_ns; /* 0: nothing was logged */
    int untold_count;
};

struct watch {
    int proc_fd;
    struct jobs *jobs;
    const struct config *config;
    int64_t next_ns;
    bool refused; /* a process that the service may not move has been logged */
    struct seen_table seen;
    int looks_count;
    DIR *directory;  /* of the look in progress, or NULL */
    int64_t cost_ns; /* of the look in progress */
    struct refusals refusals[CONFIG_RULES_MAX];
};

int watch_create(int proc_fd, struct jobs *jobs, struct watch **result)
{
    struct watch *watch = calloc(1, sizeof(*watch));

    if (!watch)
        return -ENOMEM;
    watch->proc_fd = proc_fd;
    watch->jobs = jobs;
    if (seen_init(&watch->seen)) {
        watch_destroy(watch);
        return -ENOMEM;
    }
    *result = watch;
    return 0;
}

void watch_destroy(struct watch *watch)
{
    if (!watch)
        return;
    if (watch->directory)
        closedir(watch->directory);
    seen_release(&watch->seen);
    free(watch);
}

/* The next look begins anew. */
static void look_end(struct watch *watch, bool complete)
{
    closedir(watch->directory);
    watch->directory = NULL;
    if (complete)
        seen_finish(&watch->seen);
    else
        seen_abandon(&watch->seen);
}

/* ---- rules ---- */

static bool is_in_job(const struct watch *watch, const struct seen *seen)
{
    const struct process process = {.pid = seen->pid, .start_ticks = seen->start_ticks};

    return jobs_find_process(watch->jobs, &process);
}

/* Before rules change: keeps only the processes that were taken, be they released or not; all
 * others are judged anew. Afterwards: forgets the processes whose jobs were released because their
 * rules have changed. */
static void seen_keep(struct watch *watch, bool rules_have_changed)
{
    struct seen_table *table = &watch->seen;
    int kept = 0;

    for (int i = 0; i < table->before_count; i++) {
        struct seen *seen = &table->before[i];
        const bool in_job = is_in_job(watch, seen);
        if (rules_have_changed ? seen->had_job && !in_job : seen->verdict != VERDICT_TAKEN)
            continue;
        seen->had_job = in_job;
        table->before[kept++] = *seen;
    }
    table->before_count = kept;
}

static void unused_tell(const struct config *config)
{
    struct config_problem remark;
    int cursor = 0;

    while (config_unused(config, &cursor, &remark))
        log_tell(LOG_WARNING, NULL, "%s", remark.text);
}

/* Returns the index of the first rule that matches the process; -ENOENT: none does; -ESRCH. Any
 * other error means that the process cannot be examined now. */
static int rule_of(const struct watch *watch, const struct process *process)
{
    struct process_description description;
    const int error = process_describe(watch->proc_fd, process, &description);

    if (error)
        return error;
    for (int i = 0; i < watch->config->rules_count; i++)
        if (rule_matches(&watch->config->rules[i], &description.facts))
            return i;
    return -ENOENT;
}

/* True if the job's rule is unchanged and none of the job's processes matches an earlier rule
 * now. */
static bool is_kept(const struct watch *watch, const struct config *before,
                    const struct service_job *job)
{
    const struct config *config = watch->config;
    const char *name = strchr(service_job_name(job), '/') + 1;
    const int old = config_find(before, name), found = config_find(config, name);
    const struct process *processes;
    const int count = service_job_processes(job, &processes);
    bool kept = old >= 0 && found >= 0 && rule_equal(&before->rules[old], &config->rules[found]);

    /* No rule is before the first. */
    for (int i = 0; kept && found > 0 && i < count; i++) {
        const int rule = rule_of(watch, &processes[i]);
        kept = rule < 0 || rule >= found;
    }
    return kept;
}

void watch_rules(struct watch *watch, const struct config *config)
{
    const struct config *before = watch->config;
    struct service_job *job;
    int cursor = 0;

    unused_tell(config);
    if (watch->directory)
        look_end(watch, false);
    seen_keep(watch, false);
    watch->config = config;
    watch->refused = false;
    memset(watch->refusals, 0, sizeof(watch->refusals));
    watch->next_ns = 0;
    while ((job = jobs_next(watch->jobs, &cursor)))
        if (service_job_origin(job) == ORIGIN_RULE && !is_kept(watch, before, job))
            jobs_release(watch->jobs, job);
    seen_keep(watch, true);
}

/* ---- matches ---- */

/* True if the failure is to be logged. Each process is logged once. A service without privileges
 * may find any number of other users' processes: only one of them is logged. */
static bool is_told(struct watch *watch, const struct process *process, int error)
{
    const struct seen *before = seen_before(&watch->seen, process->pid, process->start_ticks);
    const bool again = (before && before->verdict == VERDICT_REFUSED) ||
                       (error == -EPERM && watch->refused);

    watch->refused |= error == -EPERM;
    return !again && error != -ESRCH && error != -EBUSY;
}

/* Logs at most one line per minute for each rule, with the number of the others. */
static void tell_refused(struct watch *watch, int rule, const struct process *process,
                         const char *why)
{
    struct refusals *refusals = &watch->refusals[rule];
    const int64_t now_ns = clock_now_ns();
    char others[OTHERS_SIZE] = "";

    if (refusals->told_ns && now_ns - refusals->told_ns < REFUSALS_INTERVAL_NS) {
        refusals->untold_count++;
        return;
    }
    if (refusals->untold_count)
        snprintf(others, sizeof(others),
                 "; %d other process%s not balanced, either, since the last message",
                 refusals->untold_count, refusals->untold_count == 1 ? " was" : "es were");
    *refusals = (struct refusals){.told_ns = now_ns};
    log_tell(LOG_WARNING, watch->config->rules[rule].name, "process %d is not balanced: %s%s",
             (int)process->pid, why, others);
}

/* Takes the process into a job of the rule. True on success. */
static bool take(struct watch *watch, int number, const struct process *process)
{
    const struct rule *rule = &watch->config->rules[number];
    const struct service_job_request request = {
        .origin = ORIGIN_RULE, .name = rule->name, .process = process, .wish = &rule->wish};
    char problem[JOB_PROBLEM_SIZE] = "";
    struct service_job *job;
    int error = jobs_add(watch->jobs, &request, problem, &job);

    if (error == -EEXIST && service_job_origin(job) == ORIGIN_RULE)
        error = jobs_adopt(watch->jobs, job, process, problem);
    if (error && is_told(watch, process, error))
        tell_refused(watch, number, process,
                     error == -EEXIST ? "another job of its user has this name"
                     : *problem       ? problem
                                      : strerror(-error));
    return !error;
}

static bool was_taken(const struct watch *watch, const struct process *process)
{
    const struct seen *seen = seen_last(&watch->seen, process->pid, process->start_ticks);

    return (seen && seen->verdict == VERDICT_TAKEN) || jobs_find_process(watch->jobs, process);
}

/* Finds the nearest ancestor of the same user that was taken; its pid is 0 if there is none. A
 * descendant belongs to the same job, or was released with it. An ancestor of another user does not
 * count, such as a process of root that starts the ranks of all users. An error means that an
 * ancestor cannot be examined now. */
static int find_forebear(const struct watch *watch, pid_t parent, uid_t uid,
                         struct process *forebear)
{
    int error = 0;

    /* In a container, process 1 may be any process. */
    while (parent > 0 && !error) {
        struct thread_stat stat;
        error = procfs_stat_read(watch->proc_fd, parent, parent, &stat);
        if (error)
            break;
        *forebear = (struct process){.pid = parent, .start_ticks = stat.start_ticks};
        if (was_taken(watch, forebear)) {
            error = process_identify(watch->proc_fd, parent, forebear);
            if (!error && forebear->uid == uid)
                return 0;
            error = error == -ESRCH ? 0 : error;
        }
        parent = stat.parent;
    }
    *forebear = (struct process){0};
    return error == -ESRCH ? 0 : error;
}

/* An error means that the process, or an ancestor of it, cannot be examined now. */
static int judge(struct watch *watch, const struct thread_stat *stat, enum verdict *verdict)
{
    struct process process, forebear;
    int error = process_identify(watch->proc_fd, stat->tid, &process);

    *verdict = VERDICT_NONE;
    if (error)
        return error == -ESRCH ? 0 : error;
    /* Even if a rule matches it: the user who asked for its job may release it, too. */
    if (jobs_find_process(watch->jobs, &process)) {
        *verdict = VERDICT_TAKEN;
        return 0;
    }
    const int rule = rule_of(watch, &process);
    if (rule < 0)
        return rule == -ENOENT || rule == -ESRCH ? 0 : rule;
    error = find_forebear(watch, stat->parent, process.uid, &forebear);
    if (error)
        return error;
    if (forebear.pid)
        *verdict = jobs_find_process(watch->jobs, &forebear) ? VERDICT_NONE : VERDICT_TAKEN;
    else if (process.foreign || process.reserved)
        *verdict = VERDICT_REFUSED;
    else
        *verdict = take(watch, rule, &process) ? VERDICT_TAKEN : VERDICT_REFUSED;
    return 0;
}

/* ---- looking ---- */

static struct appearance appearance_of(const struct watch *watch, const struct thread_stat *stat)
{
    struct appearance appearance = {0};
    char name[NAME_SIZE];
    struct stat file;

    appearance.comm = stat->comm;
    snprintf(name, sizeof(name), "%d", (int)stat->tid);
    if (fstatat(watch->proc_fd, name, &file, 0) == 0) {
        appearance.uid = file.st_uid;
        appearance.gid = file.st_gid;
    }
    snprintf(name, sizeof(name), "%d/exe", (int)stat->tid);
    if (fstatat(watch->proc_fd, name, &file, 0) == 0) {
        appearance.device = file.st_dev;
        appearance.inode = file.st_ino;
    }
    return appearance;
}

static bool looks_equal(const struct appearance *a, const struct appearance *b)
{
    return !strcmp(a->comm.untrusted, b->comm.untrusted) && a->uid == b->uid && a->gid == b->gid &&
           a->device == b->device && a->inode == b->inode;
}

/* True if a process that was not taken is due for another judgement. They are spread over the
 * looks. */
static bool is_due(const struct watch *watch, const struct seen *before)
{
    return before->verdict != VERDICT_TAKEN &&
           (before->pid + watch->looks_count) % LOOKS_PER_JUDGEMENT == 0;
}

/* Judges a process anew if it is due for that, or else as in the look before. */
static int look_closely(struct watch *watch, const struct thread_stat *stat)
{
    const struct seen *before = seen_before(&watch->seen, stat->tid, stat->start_ticks);
    struct seen seen = {
        .pid = stat->tid,
        .start_ticks = stat->start_ticks,
        .appearance = appearance_of(watch, stat),
    };
    int error = 0;

    if (before && looks_equal(&before->appearance, &seen.appearance) && !is_due(watch, before))
        seen.verdict = before->verdict;
    else
        error = judge(watch, stat, &seen.verdict);
    if (!error)
        seen_add(&watch->seen, &seen);
    return error;
}

/* Looks at one process. If it cannot be examined now, for example because too many files are
 * open, its last judgement is kept. */
static void look_at(struct watch *watch, pid_t pid)
{
    struct thread_stat stat;
    int error = procfs_stat_read(watch->proc_fd, pid, pid, &stat);

    if (watch->seen.now_count == SEEN_MAX || error == -ESRCH)
        return;
    if (!error)
        error = look_closely(watch, &stat);
    const struct seen *before = seen_number(&watch->seen, pid);
    if (error && before)
        seen_add(&watch->seen, before);
}

/* False if /proc cannot be read now. */
static bool look_begin(struct watch *watch)
{
    const int fd = openat(watch->proc_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    watch->directory = fd < 0 ? NULL : fdopendir(fd);
    if (!watch->directory && fd >= 0)
        close(fd);
    return watch->directory;
}

/* Looks at processes for PIECE_NS. False if the look is over: at its end, or because /proc cannot
 * be read any more. */
static bool look_on(struct watch *watch)
{
    const int64_t until_ns = clock_now_ns() + PIECE_NS;
    const struct dirent *entry;

    do {
        errno = 0;
        entry = readdir(watch->directory);
        if (!entry) {
            look_end(watch, errno == 0);
            return false;
        }
        const long pid = strtol(entry->d_name, NULL, 10);
        if (pid > 0)
            look_at(watch, (pid_t)pid);
    } while (clock_now_ns() < until_ns);
    return true;
}

void watch_poll(struct watch *watch, int64_t now_ns)
{
    const int64_t began_ns = clock_spent_ns();

    if (watch->next_ns > now_ns)
        return;
    if (!watch->directory) {
        watch->cost_ns = 0;
        watch->looks_count++;
    }
    const bool goes_on = (watch->directory || look_begin(watch)) && look_on(watch);
    watch->cost_ns += clock_spent_ns() - began_ns;
    watch->next_ns = goes_on ? clock_now_ns() + PAUSE_NS
                             : now_ns + clamp_i64(watch->cost_ns * COST_RATIO, INTERVAL_NS,
                                                  INTERVAL_MAX_NS);
}

int64_t watch_next_ns(const struct watch *watch)
{
    return watch->config && watch->config->rules_count ? watch->next_ns : INT64_MAX;
}
