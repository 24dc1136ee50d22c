/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * parents WORKERS CHILDREN: processes that compute and have children now and then, as programs do
 * that start others. Each child prints how many processors it may use.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORK_MS = 30 };

static void work(void)
{
    const clock_t end = clock() + WORK_MS * CLOCKS_PER_SEC / 1000;

    while (clock() < end)
        ;
}

static void tell_processors(void)
{
    cpu_set_t set;

    if (!sched_getaffinity(0, sizeof(set), &set))
        dprintf(STDOUT_FILENO, "%d\n", CPU_COUNT(&set));
}

static void live(int children_count)
{
    for (int i = 0; i < children_count; i++) {
        work();
        const pid_t child = fork();
        if (child == 0) {
            tell_processors();
            _exit(EXIT_SUCCESS);
        }
        waitpid(child, NULL, 0);
    }
}

int main(int argc, char **argv)
{
    const int workers_count = argc > 2 ? atoi(argv[1]) : 0;

    for (int i = 0; i < workers_count; i++) {
        if (fork() == 0) {
            live(atoi(argv[2]));
            _exit(EXIT_SUCCESS);
        }
    }
    while (wait(NULL) > 0)
        ;
    return EXIT_SUCCESS;
}
