/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes that start others, end, change names, are asked for and released, while rules come,
 * go and change their order, and sometimes no file can be opened: once nothing changes any more,
 * each process is in the job that the manual pages say. */
#include "tests/lib/chance.h"
#include "tests/lib/own_clock.h"
#include "tests/lib/scratch.h"
#include "tests/lib/told.h"

#include "juggled/talk/watch.h"
#include "libjuggle/linux/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PROCESSES = 16, JOBS = 64, NAMES = 4, STEPS = 60, LOOKS = 6, FIRST_PID = 1 };
enum { LONG_NS = 5000000 }; /* longer than a piece of a look */

struct service_job {
    char name[JOB_NAME_SIZE];
    enum job_origin origin;
    bool is_there;
    int count;
    struct process processes[PROCESSES]; /* that the job was made of or adopted */
};

static struct fake {
    bool lives;
    struct process process;
    int parent; /* -1: the first process */
    char comm;
    struct service_job *job; /* the job that it belongs to, if only as a descendant */
    bool released;           /* for good, until it looks like another program */
    bool may_be_released;    /* true if a look may have judged it while its ancestor was released */
} fakes[PROCESSES];

static struct service_job jobs[JOBS];
static struct config *configs[2], *config;
static struct watch *watch;
static int proc_fd;
static uint64_t clock_ticks;
static int pieces_count;       /* of looks */
static bool is_quiet;          /* nothing else happens within a look */
static bool is_short_of_files; /* half of the calls that open a file fail */

/* ---- what can be read of processes ---- */

static struct fake *fake_of(const struct process *process)
{
    struct fake *fake = &fakes[process->pid - FIRST_PID];

    return fake->lives && process_is(&fake->process, process) ? fake : NULL;
}

int procfs_stat_read(int fd, pid_t pid, pid_t tid, struct thread_stat *stat)
{
    const struct fake *fake = &fakes[pid - FIRST_PID];

    (void)fd;
    *stat = (struct thread_stat){.tid = tid, .start_ticks = fake->process.start_ticks};
    stat->parent = fake->parent < 0 ? 0 : fake->parent + FIRST_PID;
    stat->comm.untrusted[0] = fake->comm;
    if (is_short_of_files && one_in(2))
        return -EMFILE;
    return fake->lives ? 0 : -ESRCH;
}

int openat(int folder_fd, const char *path, int flags, ...)
{
    if (!is_short_of_files || one_in(2))
        return (int)syscall(SYS_openat, folder_fd, path, flags);
    errno = EMFILE;
    return -1;
}

int process_identify(int fd, pid_t pid, struct process *process)
{
    (void)fd;
    if (is_short_of_files && one_in(2))
        return -EMFILE;
    *process = fakes[pid - FIRST_PID].process;
    return fakes[pid - FIRST_PID].lives ? 0 : -ESRCH;
}

int process_describe(int fd, const struct process *process, struct process_description *description)
{
    const struct fake *fake = fake_of(process);

    (void)fd;
    if (is_short_of_files && one_in(2))
        return -EMFILE;
    if (!fake)
        return -ESRCH;
    memset(&description->comm, 0, sizeof(description->comm));
    description->comm.untrusted[0] = fake->comm;
    description->facts = (struct process_facts){
        .comm = description->comm.untrusted, .uid = process->uid, .gid = process->gid};
    return 0;
}

/* ---- jobs ---- */

const char *service_job_name(const struct service_job *job)
{
    return job->name;
}

enum job_origin service_job_origin(const struct service_job *job)
{
    return job->origin;
}

int service_job_processes(const struct service_job *job, const struct process **processes)
{
    *processes = job->processes;
    return job->count;
}

struct service_job *jobs_next(const struct jobs *all, int *cursor)
{
    (void)all;
    while (*cursor < JOBS)
        if (jobs[(*cursor)++].is_there)
            return &jobs[*cursor - 1];
    return NULL;
}

struct service_job *jobs_find_process(const struct jobs *all, const struct process *process)
{
    struct service_job *job;
    int cursor = 0;

    while ((job = jobs_next(all, &cursor)))
        for (int i = 0; i < job->count; i++)
            if (process_is(&job->processes[i], process))
                return job;
    return NULL;
}

enum lineage { LINEAGE_NONE, LINEAGE_JOB, LINEAGE_MAYBE_RELEASED, LINEAGE_RELEASED };

/* Returns the lineage by the nearest known ancestor of the same user. */
static enum lineage lineage_of(const struct fake *fake)
{
    for (int up = fake->parent; up >= 0; up = fakes[up].parent) {
        if (fakes[up].process.uid != fake->process.uid)
            continue;
        if (jobs_find_process(NULL, &fakes[up].process))
            return LINEAGE_JOB;
        if (fakes[up].released || fakes[up].may_be_released)
            return fakes[up].released ? LINEAGE_RELEASED : LINEAGE_MAYBE_RELEASED;
    }
    return LINEAGE_NONE;
}

int jobs_adopt(struct jobs *all, struct service_job *job, const struct process *process,
               char problem[JOB_PROBLEM_SIZE])
{
    struct fake *fake = fake_of(process);

    (void)problem;
    if (jobs_find_process(all, process))
        return jobs_find_process(all, process) == job ? 0 : -EBUSY;
    if (fake->job && fake->job != job)
        return -EALREADY;
    if (job->count == PROCESSES)
        return -EUSERS;
    ALWAYS(job->origin != ORIGIN_RULE || (!fake->released && lineage_of(fake) != LINEAGE_RELEASED));
    job->processes[job->count++] = *process;
    for (int i = 0; i < PROCESSES; i++)
        for (int up = i; up >= 0; up = fakes[up].parent)
            if (&fakes[up] == fake && fakes[i].process.uid == process->uid && !fakes[i].job)
                fakes[i].job = job;
    return 0;
}

int jobs_add(struct jobs *all, const struct service_job_request *request,
             char problem[JOB_PROBLEM_SIZE], struct service_job **job)
{
    char name[JOB_NAME_SIZE];
    int cursor = 0, free_one = 0;

    snprintf(name, sizeof(name), "%u/%s", (unsigned)request->process->uid, request->name);
    while ((*job = jobs_next(all, &cursor)))
        if (!strcmp((*job)->name, name))
            return -EEXIST;
    if ((*job = jobs_find_process(all, request->process)))
        return -EBUSY;
    if (fake_of(request->process)->job)
        return -EALREADY;
    while (jobs[free_one].is_there)
        free_one++;
    *job = &jobs[free_one];
    **job = (struct service_job){.origin = request->origin, .is_there = true};
    memcpy((*job)->name, name, sizeof(name));
    return jobs_adopt(all, *job, request->process, problem);
}

void jobs_release(struct jobs *all, struct service_job *job)
{
    (void)all;
    for (int i = 0; i < PROCESSES; i++)
        if (fakes[i].job == job)
            fakes[i].job = NULL;
    job->is_there = false;
}

/* ---- random events ---- */

static const char *file_of(int number)
{
    static char name[16];

    snprintf(name, sizeof(name), "%d", number + FIRST_PID);
    return name;
}

static void process_start(int number)
{
    const int drawn = (int)below(PROCESSES), parent = fakes[drawn].lives ? drawn : -1;
    struct fake *fake = &fakes[number];

    *fake = (struct fake){.lives = true, .parent = parent, .comm = (char)('a' + below(NAMES))};
    const struct fake *from = parent < 0 ? NULL : &fakes[parent];
    const uid_t uid = from && (from->process.uid || !one_in(4)) ? from->process.uid
                                                                : (uid_t)below(2);
    fake->process = (struct process){
        .pid = number + FIRST_PID, .start_ticks = ++clock_ticks, .uid = uid, .gid = uid};
    if (from && one_in(2))
        fake->comm = from->comm;
    if (from && from->process.uid == uid)
        fake->job = from->job;
    ck_assert_int_eq(mkdirat(proc_fd, file_of(number), 0700), 0);
}

static void process_end(int number)
{
    struct service_job *job = fakes[number].job;
    bool is_over = job;

    fakes[number] = (struct fake){.parent = -1};
    ck_assert_int_eq(unlinkat(proc_fd, file_of(number), AT_REMOVEDIR), 0);
    for (int i = 0; i < PROCESSES; i++) {
        is_over = is_over && fakes[i].job != job;
        if (fakes[i].parent == number)
            fakes[i].parent = -1;
    }
    if (is_over)
        jobs_release(NULL, job);
}

/* Releases all processes of the job that were looked at. */
static void job_release(struct service_job *job)
{
    jobs_release(NULL, job);
    for (int i = 0; i < job->count; i++)
        if (fake_of(&job->processes[i]))
            fake_of(&job->processes[i])->released = true;
}

/* All processes of such a job were looked at. */
static void job_of_rule_release(void)
{
    for (struct service_job *job = jobs; job < jobs + JOBS; job++)
        if (job->is_there && job->origin == ORIGIN_RULE && one_in(4))
            job_release(job);
}

static void rules_change(void)
{
    struct config *next = configs[config == configs[0]];
    static const char *const patterns[] = {"a", "b", "c", "[ab]", "[bcd]", "*"};

    next->rules_count = (int)below(4);
    for (int i = 0; i < next->rules_count; i++) {
        struct rule *rule = &next->rules[i];
        *rule = (struct rule){.enabled = !one_in(8)};
        do
            snprintf(rule->name, sizeof(rule->name), "r%d", (int)below(4));
        while (config_find(next, rule->name) != i);
        /* A name mostly has the same pattern. */
        snprintf(rule->comm, sizeof(rule->comm), "%s",
                 patterns[one_in(5) ? below(ARRAY_COUNT(patterns)) : rule->name[1] - '0' + 1]);
    }
    watch_rules(watch, next);
    config = next;
}

/* Looks at all in one piece, or in pieces between which jobs are released and rules change. */
static void look_once(void)
{
    bool goes_on;

    own_clock.step_ns = config->rules_count && one_in(2) ? LONG_NS : 0;
    own_clock.now_ns += 60 * NSEC_PER_SEC;
    do {
        own_clock.now_ns += NSEC_PER_SEC / 4;
        own_clock.is_read = true;
        watch_poll(watch, own_clock.now_ns);
        own_clock.is_read = false;
        goes_on = watch_next_ns(watch) - own_clock.now_ns < NSEC_PER_SEC / 2;
        pieces_count += goes_on;
        if (goes_on && !is_quiet && one_in(10)) {
            job_of_rule_release();
            if (one_in(4))
                rules_change();
            own_clock.step_ns = 0; /* for a look without rules does not go on */
        }
    } while (goes_on);
}

static void look(int times)
{
    is_quiet = times > 1;
    while (times--) {
        look_once();
        for (int i = 0; i < PROCESSES; i++)
            if (fakes[i].lives && lineage_of(&fakes[i]) >= LINEAGE_MAYBE_RELEASED)
                fakes[i].may_be_released = true;
    }
}

static void something_happens(void)
{
    const int number = (int)below(PROCESSES);
    struct fake *fake = &fakes[number];
    char problem[JOB_PROBLEM_SIZE], name[] = "r0";
    struct service_job *job;
    int cursor = 0;

    if (!fake->lives) {
        process_start(number);
    } else if (one_in(3)) {
        process_end(number);
    } else if (one_in(3)) {
        look(1);
        fake->comm = (char)('a' + (fake->comm - 'a' + between(1, NAMES - 1)) % NAMES);
        fake->released = fake->may_be_released = false; /* it may be another program now */
        look(2);
    } else if (one_in(2)) {
        name[1] = (char)('0' + below(9));
        const struct service_job_request request = {
            .origin = ORIGIN_REQUEST, .name = name, .process = &fake->process};
        if (jobs_add(NULL, &request, problem, &job) == 0)
            fake->released = false;
    } else if ((job = jobs_next(NULL, &cursor))) {
        look(LOOKS);
        if (job->is_there)
            job_release(job);
        is_short_of_files = one_in(2);
        look_once();
        is_short_of_files = false;
        look(LOOKS);
    }
}

/* ---- what always holds ---- */

static int rule_for(const struct fake *fake)
{
    const char comm[] = {fake->comm, '\0'};
    const struct process_facts facts = {.comm = comm, .uid = fake->process.uid};
    int i = 0;

    while (i < config->rules_count && !rule_matches(&config->rules[i], &facts))
        i++;
    return i;
}

static void expect_place(struct fake *fake)
{
    const struct service_job *job = jobs_find_process(NULL, &fake->process), *other;
    const enum lineage lineage = lineage_of(fake);
    const int rule = rule_for(fake);
    int cursor = 0;

    if (job || rule == config->rules_count)
        return;
    if (lineage == LINEAGE_RELEASED)
        fake->released = true;
    if (lineage || fake->released || fake->may_be_released || fake->job)
        return;
    while ((other = jobs_next(NULL, &cursor)))
        if (strtoul(other->name, NULL, 10) == fake->process.uid &&
            !strcmp(strchr(other->name, '/') + 1, config->rules[rule].name))
            break;
    ALWAYS(other && other->origin != ORIGIN_RULE); /* another job has the name */
}

/* A service that starts, like a reload, gives each process to the first rule that matches it. */
static void expect_first_rules(void)
{
    const struct service_job *job;
    int cursor = 0;

    while ((job = jobs_next(NULL, &cursor)))
        for (int i = 0; job->origin == ORIGIN_RULE && i < job->count; i++) {
            const struct fake *fake = fake_of(&job->processes[i]);
            const int rule = config_find(config, strchr(job->name, '/') + 1);
            ALWAYS(rule >= 0);
            ALWAYS(!fake || rule_for(fake) >= rule);
        }
}

static void live(void)
{
    ck_assert_int_eq(watch_create(proc_fd, NULL, &watch), 0);
    for (int i = 0; i < PROCESSES; i++)
        fakes[i] = (struct fake){.parent = -1};
    config = configs[0];
    config->rules_count = 0;
    watch_rules(watch, config);
    for (int step = 0; step < STEPS; step++) {
        something_happens();
        look((int)below(2));
        if (!one_in(4))
            continue;
        look(LOOKS);
        for (int i = 0; i < PROCESSES; i++)
            if (fakes[i].lives)
                expect_place(&fakes[i]);
        rules_change();
        expect_first_rules();
        job_of_rule_release();
    }
    for (int i = 0; i < PROCESSES; i++)
        if (fakes[i].lives)
            process_end(i);
    memset(jobs, 0, sizeof(jobs));
    watch_destroy(watch);
}

START_TEST(each_process_is_where_the_first_rule_has_it_or_stays_released)
{
    char folder[80];

    scratch_folder(folder, sizeof(folder));
    proc_fd = open(folder, O_RDONLY | O_DIRECTORY);
    ck_assert_int_eq(config_create(&configs[0]) | config_create(&configs[1]), 0);
    live_with_seeds(100, live);
    ck_assert_int_gt(pieces_count, 0);
    config_destroy(configs[0]);
    config_destroy(configs[1]);
    close(proc_fd);
    ck_assert_int_eq(rmdir(folder), 0);
}

SUITE("watch lives")
