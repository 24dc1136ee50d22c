/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * parents WORKERS CHILDREN: processes that compute and have children now and then, like programs
 * that start others. Each child prints how many processors it may use when it begins and when it
 * ends. In between it waits, for five seconds at most, until it may use as many as its grandparent
 * had.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORK_MS = 30, LOOKS = 500, BETWEEN_LOOKS_US = 10000 };

static void work(void)
{
    const clock_t end = clock() + WORK_MS * CLOCKS_PER_SEC / 1000;

    while (clock() < end)
        ;
}

static int processors(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof(set), &set) ? 0 : CPU_COUNT(&set);
}

static void tell_processors(int expected_count)
{
    const int first = processors();

    for (int i = 0; i < LOOKS && processors() < expected_count; i++)
        usleep(BETWEEN_LOOKS_US);
    dprintf(STDOUT_FILENO, "%d %d\n", first, processors());
}

static void live(int children_count, int processors_count)
{
    for (int i = 0; i < children_count; i++) {
        work();
        const pid_t child = fork();
        if (child == 0) {
            tell_processors(processors_count);
            _exit(EXIT_SUCCESS);
        }
        waitpid(child, NULL, 0);
    }
}

int main(int argc, char **argv)
{
    const int workers_count = argc > 2 ? atoi(argv[1]) : 0;
    const int processors_count = processors();

    for (int i = 0; i < workers_count; i++) {
        if (fork() == 0) {
            live(atoi(argv[2]), processors_count);
            _exit(EXIT_SUCCESS);
        }
    }
    while (wait(NULL) > 0)
        ;
    return EXIT_SUCCESS;
}
