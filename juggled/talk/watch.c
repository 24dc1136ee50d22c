/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts, in this order:
 * - create, destroy
 * - rules, and processes that were released
 * - matches: the rule that takes a process, and what is logged
 * - looking: at each process that is new or has another appearance */
#include "juggled/talk/watch.h"

#include "juggled/log.h"
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
    SEEN_MAX = 65536,
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
/* Interval between two log lines about processes of one rule. */
#define REFUSALS_INTERVAL_NS (60 * NSEC_PER_SEC)

enum verdict {
    VERDICT_NONE,    /* no rule matches it, or it belongs to the job of an ancestor */
    VERDICT_REFUSED, /* a rule matches it, but it could not be balanced */
    VERDICT_TAKEN,   /* taken into a job; if it is in no job now, it was released, and it and its
                        descendants are not taken again */
};

/* Facts about a process that two system calls return; a change shows that it should be judged
 * again. */
struct appearance {
    struct comm comm;
    uid_t uid; /* of its files in /proc: root's while its memory is protected */
    gid_t gid;
    dev_t device; /* of the file that it executes; 0: hidden */
    ino_t inode;
};

/* A process that was judged. It is judged again when its appearance changes. */
struct seen {
    pid_t pid;
    enum verdict verdict;
    uint64_t start_ticks;
    struct appearance appearance;
};

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
    bool refused;              /* a process that the service may not move has been logged */
    struct seen *now, *before; /* the processes of this look, and of the last, sorted by pid */
    int now_count, before_count;
    int looks_count;
    struct refusals refusals[CONFIG_RULES_MAX];
};

int watch_create(int proc_fd, struct jobs *jobs, struct watch **result)
{
    struct watch *watch = calloc(1, sizeof(*watch));

    if (!watch)
        return -ENOMEM;
    watch->proc_fd = proc_fd;
    watch->jobs = jobs;
    watch->now = calloc(SEEN_MAX, sizeof(struct seen));
    watch->before = calloc(SEEN_MAX, sizeof(struct seen));
    if (!watch->now || !watch->before) {
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
    free(watch->now);
    free(watch->before);
    free(watch);
}

/* ---- rules ---- */

static bool was_released(const struct watch *watch, const struct seen *seen)
{
    const struct process process = {.pid = seen->pid, .start_ticks = seen->start_ticks};

    return seen->verdict == VERDICT_TAKEN && !jobs_find_process(watch->jobs, &process);
}

/* Keeps only the released processes; all others are judged anew by the new rules. */
static void released_keep(struct watch *watch)
{
    int kept = 0;

    for (int i = 0; i < watch->before_count; i++)
        if (was_released(watch, &watch->before[i]))
            watch->before[kept++] = watch->before[i];
    watch->before_count = kept;
}

static void unused_tell(const struct config *config)
{
    struct config_problem remark;
    int cursor = 0;

    while (config_unused(config, &cursor, &remark))
        log_tell(LOG_WARNING, NULL, "%s", remark.text);
}

/* Returns the index of the first rule that matches the process; -ENOENT: none does; -ESRCH. */
static int rule_of(const struct watch *watch, const struct process *process)
{
    struct process_description description;

    if (process_describe(watch->proc_fd, process, &description))
        return -ESRCH;
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
    released_keep(watch);
    watch->config = config;
    watch->refused = false;
    memset(watch->refusals, 0, sizeof(watch->refusals));
    watch->next_ns = 0;
    while ((job = jobs_next(watch->jobs, &cursor)))
        if (service_job_origin(job) == ORIGIN_RULE && !is_kept(watch, before, job))
            jobs_release(watch->jobs, job);
}

/* ---- matches ---- */

static int seen_compare(const void *left, const void *right)
{
    const struct seen *a = left, *b = right;

    return (a->pid > b->pid) - (a->pid < b->pid);
}

/* Returns the last judgement on a process with this pid; NULL if there is none. */
static const struct seen *number_before(const struct watch *watch, pid_t pid)
{
    const struct seen key = {.pid = pid};

    return bsearch(&key, watch->before, (size_t)watch->before_count, sizeof(key), seen_compare);
}

/* The same, but only if it is the same process. */
static const struct seen *seen_before(const struct watch *watch, pid_t pid, uint64_t start_ticks)
{
    const struct seen *before = number_before(watch, pid);

    return before && before->start_ticks == start_ticks ? before : NULL;
}

/* True if the failure is to be logged. Each process is logged once. A service without privileges
 * may find any number of other users' processes: only one of them is logged. */
static bool is_told(struct watch *watch, const struct process *process, int error)
{
    const struct seen *before = seen_before(watch, process->pid, process->start_ticks);
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
    const struct seen *seen = seen_before(watch, process->pid, process->start_ticks);

    return (seen && seen->verdict == VERDICT_TAKEN) || jobs_find_process(watch->jobs, process);
}

/* Finds the nearest ancestor of the same user that was taken. A descendant belongs to the same
 * job, or was released with it. An ancestor of another user does not count, such as a process of
 * root that starts the ranks of all users. */
static bool find_forebear(const struct watch *watch, pid_t parent, uid_t uid,
                          struct process *forebear)
{
    /* In a container, process 1 may be any process. */
    while (parent > 0) {
        struct thread_stat stat;
        if (procfs_stat_read(watch->proc_fd, parent, parent, &stat))
            return false;
        *forebear = (struct process){.pid = parent, .start_ticks = stat.start_ticks};
        if (was_taken(watch, forebear) && !process_identify(watch->proc_fd, parent, forebear) &&
            forebear->uid == uid)
            return true;
        parent = stat.parent;
    }
    return false;
}

static enum verdict judge(struct watch *watch, const struct thread_stat *stat)
{
    struct process process, forebear;

    if (process_identify(watch->proc_fd, stat->tid, &process))
        return VERDICT_NONE;
    /* Even if a rule matches it: the user who asked for its job may release it, too. */
    if (jobs_find_process(watch->jobs, &process))
        return VERDICT_TAKEN;
    const int rule = rule_of(watch, &process);
    if (rule < 0)
        return VERDICT_NONE;
    if (find_forebear(watch, stat->parent, process.uid, &forebear))
        return jobs_find_process(watch->jobs, &forebear) ? VERDICT_NONE : VERDICT_TAKEN;
    if (process.foreign || process.reserved)
        return VERDICT_REFUSED;
    return take(watch, rule, &process) ? VERDICT_TAKEN : VERDICT_REFUSED;
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

/* Looks at one process. If it cannot be examined now, for example because too many files are
 * open, its last judgement is kept. */
static void look_at(struct watch *watch, pid_t pid)
{
    const struct seen *before = number_before(watch, pid);
    struct thread_stat stat;
    const int error = procfs_stat_read(watch->proc_fd, pid, pid, &stat);

    if (watch->now_count == SEEN_MAX || error == -ESRCH)
        return;
    if (error) {
        if (before)
            watch->now[watch->now_count++] = *before;
        return;
    }
    struct seen *seen = &watch->now[watch->now_count++];
    *seen = (struct seen){
        .pid = pid,
        .start_ticks = stat.start_ticks,
        .appearance = appearance_of(watch, &stat),
    };
    before = seen_before(watch, pid, stat.start_ticks);
    const bool known = before && looks_equal(&before->appearance, &seen->appearance) &&
                       !is_due(watch, before);
    seen->verdict = known ? before->verdict : judge(watch, &stat);
}

/* Looks at all processes. False if /proc cannot be read now. */
static bool look(struct watch *watch)
{
    int fd = openat(watch->proc_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *entry;

    if (!directory) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    while ((entry = readdir(directory))) {
        const long pid = strtol(entry->d_name, NULL, 10);
        if (pid > 0)
            look_at(watch, (pid_t)pid);
    }
    closedir(directory);
    return true;
}

void watch_poll(struct watch *watch, int64_t now_ns)
{
    struct seen *recycled = watch->before;
    const int64_t began_ns = clock_spent_ns();

    if (watch->next_ns > now_ns)
        return;
    watch->now_count = 0;
    watch->looks_count++;
    if (look(watch)) {
        watch->before = watch->now;
        watch->before_count = watch->now_count;
        watch->now = recycled;
        qsort(watch->before, (size_t)watch->before_count, sizeof(struct seen), seen_compare);
    }
    const int64_t cost_ns = clock_spent_ns() - began_ns;
    watch->next_ns = now_ns + clamp_i64(cost_ns * COST_RATIO, INTERVAL_NS, INTERVAL_MAX_NS);
}

int64_t watch_next_ns(const struct watch *watch)
{
    return watch->config && watch->config->rules_count ? watch->next_ns : INT64_MAX;
}
