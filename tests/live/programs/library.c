/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Uses libjuggle against its contract, on this very process. Prints the mask that a balanced thread
 * has in the end; ends with status 1 and a line on stderr if a promise is broken.
 */
#include "libjuggle/juggle.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORKERS = 3, POLL_NS = 20000000, POLLS_MAX = 1000 };

#define PROMISED(truth)                                                   \
    do {                                                                  \
        if (!(truth)) {                                                   \
            fprintf(stderr, "line %d: not true: " #truth "\n", __LINE__); \
            exit(EXIT_FAILURE);                                           \
        }                                                                 \
    } while (0)

static atomic_bool over;
static struct juggle *juggle;

/* The first thread reports twice as much as the others for the same time. */
static void *compute(void *argument)
{
    struct juggle_thread *self, *again;
    const int64_t units = argument ? 1 : 2;

    PROMISED(juggle_thread_create(juggle, 0, &self) == 0);
    PROMISED(juggle_thread_create(juggle, 0, &again) == -EEXIST);
    PROMISED(juggle_thread_create(juggle, 0x3fffffff, &again) == -ESRCH);
    PROMISED(juggle_thread_create(juggle, -1, &again) == -EINVAL);
    while (!atomic_load_explicit(&over, memory_order_relaxed)) {
        for (volatile int i = 0; i < 10000; i++)
            ;
        juggle_progress(self, units);
    }
    juggle_thread_destroy(self);
    return NULL;
}

/* Checks that the threads of the balancer take no signal of the program. */
static void balancers_block_signals(void)
{
    char path[64], line[512];
    DIR *tasks = opendir("/proc/self/task");
    const struct dirent *task;
    int balancers_count = 0;

    PROMISED(tasks != NULL);
    while ((task = readdir(tasks))) {
        unsigned long long blocked = 0;
        snprintf(path, sizeof(path), "/proc/self/task/%.16s/status", task->d_name);
        FILE *status = *task->d_name == '.' ? NULL : fopen(path, "re");
        if (!status)
            continue;
        PROMISED(fgets(line, sizeof(line), status));
        const bool is_balancer = strstr(line, "juggle");
        while (fgets(line, sizeof(line), status))
            (void)!sscanf(line, "SigBlk: %llx", &blocked);
        fclose(status);
        balancers_count += is_balancer;
        PROMISED(!is_balancer ||
                 (blocked & 1ULL << (SIGTERM - 1) && blocked & 1ULL << (SIGUSR1 - 1)));
    }
    closedir(tasks);
    PROMISED(balancers_count > 0);
}

static bool keeper_lives(void)
{
    char path[64], line[64];
    DIR *tasks = opendir("/proc/self/task");
    const struct dirent *task;
    bool lives = false;

    PROMISED(tasks != NULL);
    while ((task = readdir(tasks))) {
        snprintf(path, sizeof(path), "/proc/self/task/%.16s/comm", task->d_name);
        FILE *comm = *task->d_name == '.' ? NULL : fopen(path, "re");
        if (!comm)
            continue;
        lives |= fgets(line, sizeof(line), comm) && !strcmp(line, "juggle-keeper\n");
        fclose(comm);
    }
    closedir(tasks);
    return lives;
}

/* Lacks files for longer than the time between two looks at the threads. */
static void lack_files(void)
{
    const struct timespec nap = {2, 0};
    struct rlimit before, none;

    PROMISED(!getrlimit(RLIMIT_NOFILE, &before));
    none = before;
    none.rlim_cur = 0;
    PROMISED(!setrlimit(RLIMIT_NOFILE, &none));
    nanosleep(&nap, NULL);
    PROMISED(!setrlimit(RLIMIT_NOFILE, &before));
    PROMISED(keeper_lives());
}

/* ---- threads that cannot be created ---- */

static int creations_left = INT_MAX;

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*main_of)(void *),
                   void *argument)
{
    int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
                void *) = dlsym(RTLD_NEXT, "pthread_create");

    return creations_left-- > 0 ? next(thread, attributes, main_of, argument) : EAGAIN;
}

/* ---- a second thread that calls juggle_stop() while the first one does ---- */

static atomic_bool second_is_due, second_has_stopped;
static pthread_t second;

static void *stop_too(void *context)
{
    juggle_stop(juggle);
    second_has_stopped = true;
    return context;
}

/* The first thread for which juggle_stop() waits is the keeper. */
int pthread_join(pthread_t thread, void **result)
{
    int (*next)(pthread_t, void **) = dlsym(RTLD_NEXT, "pthread_join");
    const struct timespec nap = {0, POLL_NS};

    if (atomic_exchange(&second_is_due, false)) {
        PROMISED(!pthread_create(&second, NULL, stop_too, NULL));
        nanosleep(&nap, NULL);
        PROMISED(!second_has_stopped);
    }
    return next(thread, result);
}

static int tasks_count(void)
{
    DIR *tasks = opendir("/proc/self/task");
    int count = 0;

    PROMISED(tasks != NULL);
    for (const struct dirent *task; (task = readdir(tasks));)
        count += *task->d_name != '.';
    closedir(tasks);
    return count;
}

/* Each creation of a thread fails in turn: no other thread stays behind. */
static void failures(void)
{
    const struct timespec nap = {0, POLL_NS};
    int error = -EAGAIN;

    for (int before = 0; error; before++) {
        PROMISED(juggle_create(0, NULL, &juggle, NULL) == 0);
        creations_left = before;
        error = juggle_start(juggle);
        creations_left = INT_MAX;
        PROMISED(!error || error == -EAGAIN);
        const int again = juggle_start(juggle);
        PROMISED(again == -EALREADY || (error && !again));
        juggle_destroy(juggle);
        for (int i = 0; tasks_count() > 1; i++) {
            PROMISED(i < POLLS_MAX);
            nanosleep(&nap, NULL);
        }
    }
}

static void print_mask(void)
{
    char line[512];
    FILE *status = fopen("/proc/thread-self/status", "re");

    PROMISED(status != NULL);
    while (fgets(line, sizeof(line), status))
        if (!strncmp(line, "Cpus_allowed_list:\t", 19))
            fputs(line + 19, stdout);
    fclose(status);
}

static void *refuse_a_thread(void *context)
{
    struct juggle *none = NULL;

    PROMISED(juggle_create(gettid(), NULL, &none, NULL) == -EINVAL);
    return context;
}

static void refusals(void)
{
    struct juggle_options options = {.size = sizeof(struct juggle_options), .threads = -1};
    struct juggle_error error;
    struct juggle *none = NULL;
    struct juggle_membership *joined = NULL;
    pthread_t thread;

    PROMISED(juggle_create(0, &options, &none, &error) == -EINVAL);
    PROMISED(!strcmp(error.message,
                     "threads is not usable: expected a whole number from 1 to 4096, or 0"));
    options = (struct juggle_options){.size = sizeof(struct juggle_options), .policy = "best"};
    PROMISED(juggle_create(0, &options, &none, NULL) == -EINVAL);
    options = (struct juggle_options){.size = sizeof(struct juggle_options), .cpus = "8191"};
    PROMISED(juggle_create(0, &options, &none, &error) == -ENXIO && error.message[0]);
    options = (struct juggle_options){.size = sizeof(struct juggle_options), .domains = "0;0"};
    PROMISED(juggle_create(0, &options, &none, &error) == -EINVAL && error.message[0]);
    PROMISED(juggle_join("zz", &options, &joined, &error) == -EINVAL && error.message[0]);
    PROMISED(juggle_join(".zz", NULL, &joined, &error) == -EINVAL && error.message[0]);
    PROMISED(juggle_join("-zz", NULL, &joined, NULL) == -EINVAL);
    options = (struct juggle_options){.size = 8};
    PROMISED(juggle_create(0, &options, &none, NULL) == -EINVAL);
    PROMISED(juggle_create(0x3fffffff, NULL, &none, NULL) == -ESRCH);
    PROMISED(!pthread_create(&thread, NULL, refuse_a_thread, NULL));
    PROMISED(!pthread_join(thread, NULL));
    PROMISED(none == NULL && joined == NULL);
    juggle_destroy(NULL);
    juggle_thread_destroy(NULL);
}

/* Calls that a forked child makes with its copy of the balancer. A program that forks may have
 * destructors that run in the child, too. */
static void fork_harmlessly(void)
{
    struct juggle_statistics statistics = {.size = sizeof(statistics)};
    struct juggle_thread *self, *again;
    int status = -1;

    PROMISED(juggle_thread_create(juggle, 0, &self) == 0);
    const pid_t child = fork();
    PROMISED(child >= 0);
    if (child == 0) {
        PROMISED(juggle_statistics(juggle, &statistics) == -EPERM);
        PROMISED(juggle_threads(juggle, NULL, 0) == -EPERM);
        PROMISED(juggle_start(juggle) == -EPERM);
        PROMISED(juggle_thread_create(juggle, 0, &again) == -EPERM);
        juggle_thread_destroy(self);
        juggle_stop(juggle);
        juggle_destroy(juggle);
        _exit(EXIT_SUCCESS);
    }
    PROMISED(waitpid(child, &status, 0) == child && status == 0);
    PROMISED(juggle_thread_create(juggle, 0, &again) == -EEXIST);
    juggle_thread_destroy(self);
    PROMISED(keeper_lives());
}

/* Waits until turns have been taken, so that the statistics say something. */
static void await_turns(void)
{
    const struct timespec nap = {0, POLL_NS};
    struct juggle_statistics statistics = {.size = sizeof(statistics)};

    for (int i = 0; statistics.rounds < 10; i++) {
        PROMISED(i < POLLS_MAX);
        nanosleep(&nap, NULL);
        PROMISED(juggle_statistics(juggle, &statistics) == 0);
    }
    PROMISED(statistics.threads == WORKERS && statistics.waited_ns >= 0);
}

static void balance(void)
{
    const struct juggle_options options = {.size = sizeof(options), .threads = WORKERS};
    struct juggle_thread_statistics threads[WORKERS] = {{.size = sizeof(threads[0])}};
    struct juggle_statistics statistics = {.size = sizeof(statistics)};
    struct juggle_statistics unsized = {0};
    pthread_t workers[WORKERS];

    PROMISED(juggle_create(0, &options, &juggle, NULL) == 0);
    PROMISED(juggle_statistics(juggle, &unsized) == -EINVAL);
    PROMISED(juggle_statistics(juggle, &statistics) == -EAGAIN);
    PROMISED(juggle_threads(juggle, threads, WORKERS) == -EAGAIN);
    PROMISED(juggle_start(juggle) == 0);
    PROMISED(juggle_start(juggle) == -EALREADY);
    for (int i = 0; i < WORKERS; i++)
        PROMISED(!pthread_create(&workers[i], NULL, compute, i ? &over : NULL));
    await_turns();
    fork_harmlessly();
    balancers_block_signals();
    lack_files();
    second_is_due = true;
    juggle_stop(juggle);
    PROMISED(!pthread_join(second, NULL));
    over = 1;
    for (int i = 0; i < WORKERS; i++)
        PROMISED(!pthread_join(workers[i], NULL));
    PROMISED(juggle_start(juggle) == -EALREADY);
    PROMISED(juggle_threads(juggle, threads, WORKERS) == WORKERS);
    for (int i = 0; i < WORKERS; i++)
        PROMISED(threads[i].pid == getpid() && threads[i].tid != getpid());
    PROMISED(juggle_threads(juggle, threads, 0) == WORKERS);
    juggle_destroy(juggle);
}

int main(void)
{
    refusals();
    failures();
    for (int i = 0; i < 2; i++) {
        over = second_has_stopped = false;
        balance();
    }
    print_mask();
    return EXIT_SUCCESS;
}
