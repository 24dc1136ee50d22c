/* SPDX-License-Identifier: BSD-3-Clause */
/* Members share nothing in this file: each thread reads its own `struct start`, which was written
 * before the thread was created. They synchronize in the barrier. */
#include "tools/ubench/crew.h"

#include "tools/ubench/omp.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct start {
    crew_member *member;
    void *context;
    int index;
    pthread_t thread;
};

static void *thread_main(void *argument)
{
    const struct start *start = argument;

    start->member(start->context, start->index);
    return NULL;
}

static int threads_run(int members_count, crew_member *member, void *context)
{
    struct start *starts = calloc((size_t)members_count, sizeof(*starts));
    int error = starts ? 0 : -ENOMEM;

    for (int i = 1; i < members_count && !error; i++) {
        starts[i] = (struct start){.member = member, .context = context, .index = i};
        error = -pthread_create(&starts[i].thread, NULL, thread_main, &starts[i]);
    }
    if (error)
        return error; /* running threads still read their start: the caller must exit */
    member(context, 0);
    for (int i = 1; i < members_count; i++)
        pthread_join(starts[i].thread, NULL);
    free(starts);
    return 0;
}

static void process_main(crew_member *member, void *context, int index, pid_t parent)
{
    /* A member without its parent would wait for the others for ever. The parent may have ended
     * before the call of prctl. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
    member(context, index);
    _exit(EXIT_SUCCESS);
}

static int processes_run(int members_count, crew_member *member, void *context)
{
    const pid_t parent = getpid();
    int status;

    for (int i = 0; i < members_count; i++) {
        const pid_t child = fork();
        if (child < 0)
            return -errno;
        if (child == 0)
            process_main(member, context, i, parent);
    }
    while (wait(&status) > 0)
        if (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_SUCCESS)
            return -ECHILD;
    return 0;
}

int crew_run(enum crew_kind kind, int members_count, crew_member *member, void *context)
{
    switch (kind) {
    case CREW_THREADS:
        return threads_run(members_count, member, context);
    case CREW_PROCESSES:
        return processes_run(members_count, member, context);
    case CREW_OMP:
        return omp_team_run(members_count, member, context) == members_count ? 0 : -EAGAIN;
    }
    return -EINVAL;
}
