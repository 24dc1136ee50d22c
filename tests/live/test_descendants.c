/* SPDX-License-Identifier: BSD-3-Clause */
/* Discovery of real processes, while they fork, execute, die and multiply. */
#include "tests/lib/live.h"
#include "tests/lib/suite.h"

#include "libjuggle/linux/clock.h"
#include "libjuggle/job/discovery.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS_MAX = 256, CREATED_COUNT = 1000, PATIENCE_MS = 10000 };

static struct discovery *discovery;
static int proc_fd;
static int arrived_count, exited_count;

static void changed(void *context, enum roster_change change, int index,
                    const struct thread_info *info)
{
    (void)context;
    (void)index;
    (void)info;
    arrived_count += change == ROSTER_ARRIVED;
    exited_count += change == ROSTER_EXITED;
}

static int scan(void)
{
    const struct roster_listener listener = {.changed = changed};

    return discovery_scan_until(discovery, clock_now_ns(), INT64_MAX, &listener);
}

static void begin(pid_t root, bool included)
{
    struct discovery_options options = {
        .roots = &root,
        .roots_count = 1,
        .roots_included = included,
        .threads_max = THREADS_MAX,
        .connector = true,
    };

    /* Orphans become children of this process, as they become children of the launcher. */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    ck_assert_int_eq(procfs_open(&proc_fd), 0);
    options.proc_fd = proc_fd;
    ck_assert_int_eq(discovery_create(&options, &discovery), 0);
}

static void finish(void)
{
    discovery_destroy(discovery);
    close(proc_fd);
}

static bool are_there(void *context)
{
    const int *threads_count = context;

    ck_assert_int_eq(scan(), 0);
    return roster_count(discovery_roster(discovery)) == *threads_count;
}

static void await_threads(int threads_count)
{
    await(are_there, &threads_count);
}

static bool is_named(void *context)
{
    const struct thread_info *info;

    ck_assert_int_eq(scan(), 0);
    info = roster_thread(discovery_roster(discovery), 0);
    return info && strcmp(info->comm.untrusted, context) == 0;
}

/* ---- programs ---- */

static void *thread_sleep(void *context)
{
    live_forever(context);
    return NULL;
}

/* Has a child with two threads in a session of its own. */
static void family_live(void *context)
{
    pthread_t thread;

    if (fork() == 0) {
        setsid();
        pthread_create(&thread, NULL, thread_sleep, NULL);
    }
    live_forever(context);
}

/* The same, but the process that was forked first dies and leaves an orphan. */
static void orphan_live(void *context)
{
    if (fork() == 0) {
        setsid();
        if (fork() != 0)
            _exit(EXIT_SUCCESS);
        family_live(context);
    }
    live_forever(context);
}

/* Kills all processes that were found, and waits for them, because orphans are children of this
 * process. */
static void family_end(void)
{
    const struct roster *roster = discovery_roster(discovery);

    for (int i = 0; i < roster_limit(roster); i++)
        if (roster_thread(roster, i))
            kill(roster_thread(roster, i)->id.pid, SIGKILL);
    while (wait(NULL) > 0)
        continue;
}

static void *thread_end(void *context)
{
    return context;
}

/* The context is the end of a pipe that is written to when all children have ended. */
static void many_live(void *context)
{
    const int *ended_fd = context;
    pthread_t threads[10];

    for (size_t round = 0; round < CREATED_COUNT / ARRAY_COUNT(threads); round++) {
        for (size_t i = 0; i < ARRAY_COUNT(threads); i++)
            pthread_create(&threads[i], NULL, thread_end, NULL);
        for (size_t i = 0; i < ARRAY_COUNT(threads); i++)
            pthread_join(threads[i], NULL);
    }
    ck_assert_int_eq(write(*ended_fd, "", 1), 1);
    live_forever(NULL);
}

static void exec_live(void *context)
{
    (void)context;
    execlp("sleep", "sleep", "1000", (char *)NULL);
}

/* ---- tests ---- */

START_TEST(sessions_orphans_and_threads_are_found)
{
    begin(getpid(), false);
    child_start(orphan_live, NULL);
    await_threads(1 + 1 + 2);
    family_end();
    await_threads(0);
    finish();
}

START_TEST(nobody_finds_them_too)
{
    if (!become_nobody()) {
        printf("skip: only root can become nobody\n");
        return;
    }
    begin(getpid(), false);
    child_start(orphan_live, NULL);
    await_threads(1 + 1 + 2);
    family_end();
    await_threads(0);
    finish();
}

START_TEST(an_attached_family_stays_together)
{
    pid_t root = child_start(family_live, NULL);

    begin(root, true);
    await_threads(1 + 2);
    /* The rest has no living ancestor among them. */
    child_end(root);
    await_threads(2);
    family_end();
    ck_assert_int_eq(scan(), -ESRCH);
    finish();
}

START_TEST(a_program_that_executes_another_stays_the_same_thread)
{
    pid_t pid = child_start(exec_live, NULL);

    begin(pid, true);
    await(is_named, "sleep");
    ck_assert_int_eq(arrived_count, 1);
    ck_assert_int_eq(exited_count, 0);
    child_end(pid);
    finish();
}

START_TEST(a_thousand_threads_come_and_go)
{
    int ends[2];

    ck_assert_int_eq(pipe(ends), 0);
    const pid_t pid = child_start(many_live, &ends[1]);
    struct pollfd ended = {.fd = ends[0], .events = POLLIN};
    begin(pid, true);
    while (poll(&ended, 1, 0) == 0)
        ck_assert_int_eq(scan(), 0);
    await_threads(1);
    ck_assert_int_eq(arrived_count, exited_count + 1);
    child_end(pid);
    finish();
}

START_TEST(the_connector_says_when_to_look)
{
    int64_t due_ns;
    int tries = 0;
    pid_t pid;

    begin(getpid(), false);
    if (discovery_fd(discovery) < 0) {
        printf("skip: the proc connector is not permitted\n");
        return;
    }
    ck_assert_str_eq(discovery_method(discovery), "proc connector");
    await_threads(0);
    pid = child_start(live_forever, NULL);
    do {
        struct pollfd heard = {.fd = discovery_fd(discovery), .events = POLLIN};
        poll(&heard, 1, 1);
        due_ns = clock_now_ns() + NSEC_PER_SEC;
        discovery_hear(discovery, due_ns);
        ck_assert_int_lt(tries++, PATIENCE_MS);
    } while (!discovery_due(discovery, due_ns));
    await_threads(1);
    child_end(pid);
    finish();
}

/* There is no wakeup for each event: after an event discovery does not listen for a while, then
 * takes all that have come. */
START_TEST(many_events_are_heard_together)
{
    int64_t now_ns;

    begin(getpid(), false);
    if (discovery_fd(discovery) < 0) {
        printf("skip: the proc connector is not permitted\n");
        return;
    }
    await_threads(0);
    child_end(child_start(live_forever, NULL));
    now_ns = clock_now_ns();
    discovery_hear(discovery, now_ns);
    ck_assert_int_lt(discovery_fd(discovery), 0);
    ck_assert_int_le(discovery_next_ns(discovery), now_ns + 10 * NSEC_PER_MSEC);
    /* Other processes may come and go all the time. */
    for (int tries = 0; discovery_fd(discovery) < 0; tries++) {
        ck_assert_int_lt(tries, PATIENCE_MS);
        discovery_hear(discovery, now_ns += NSEC_PER_SEC);
    }
    finish();
}

static void child_come_and_go(void)
{
    child_end(child_start(live_forever, NULL));
}

/* A program that forks all the time pays for each event, too. */
START_TEST(where_events_never_end_it_listens_now_and_then)
{
    const int64_t step_ns = 10 * NSEC_PER_MSEC;
    int64_t now_ns = clock_now_ns();

    begin(getpid(), false);
    if (discovery_fd(discovery) < 0) {
        printf("skip: the proc connector is not permitted\n");
        return;
    }
    await_threads(0);
    for (int i = 0; i < 5; i++) {
        child_come_and_go();
        discovery_hear(discovery, now_ns += step_ns);
    }
    /* Events are not received now, and discovery does not even listen at first. */
    child_come_and_go();
    discovery_hear(discovery, now_ns += step_ns);
    ck_assert_int_lt(discovery_fd(discovery), 0);
    discovery_hear(discovery, now_ns += step_ns);
    ck_assert_int_ge(discovery_fd(discovery), 0);
    /* Then it listens, but not for long, because events have not stopped. */
    child_come_and_go();
    discovery_hear(discovery, now_ns);
    ck_assert_int_lt(discovery_fd(discovery), 0);
    discovery_hear(discovery, now_ns += 2 * step_ns);
    ck_assert_int_lt(discovery_fd(discovery), 0);
    finish();
}

START_TEST(what_is_hidden_is_not_there)
{
    const char *mount_point = "/tmp";
    struct discovery_options options = {.roots_count = 1, .roots_included = true};
    const struct roster_listener listener = {.changed = changed};
    pid_t pid = child_start(live_forever, NULL);

    if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
        mount("proc", mount_point, "proc", 0, "hidepid=2") < 0 || !become_nobody()) {
        printf("skip: only root can hide processes\n");
        child_end(pid);
        return;
    }
    options.proc_fd = open(mount_point, O_RDONLY | O_DIRECTORY);
    options.roots = &pid;
    options.threads_max = THREADS_MAX;
    ck_assert_int_eq(discovery_create(&options, &discovery), 0);
    ck_assert_int_eq(discovery_scan_until(discovery, 0, INT64_MAX, &listener), -ESRCH);
    discovery_destroy(discovery);
}

SUITE("descendants")
