/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/care/processes.h"

#include <errno.h>
#include <unistd.h>

struct process *processes_find(struct processes *processes, const struct process *process)
{
    for (int i = 0; i < processes->count; i++)
        if (process_is(&processes->list[i], process))
            return &processes->list[i];
    return NULL;
}

int processes_add(struct processes *processes, const struct process *process)
{
    if (processes->count == PROCESSES_MAX)
        return -ENOSPC;
    processes->list[processes->count] = *process;
    processes->list[processes->count++].joins = 1;
    return 0;
}

void processes_drop(struct processes *processes, struct process *process)
{
    *process = processes->list[--processes->count];
}

/* False also if the process cannot be examined, for example because too many files are open. */
static bool is_gone(int proc_fd, const struct process *process)
{
    int pidfd;
    int error = process_open(proc_fd, process, &pidfd);

    if (!error)
        close(pidfd);
    return error == -ESRCH;
}

void processes_prune(struct processes *processes, int proc_fd)
{
    int living = 0;

    for (int i = 0; i < processes->count; i++)
        if (!is_gone(proc_fd, &processes->list[i]))
            processes->list[living++] = processes->list[i];
    processes->count = living;
}

int processes_open(struct processes *processes, int proc_fd, int pidfds[PROCESSES_MAX])
{
    int opened = 0;

    while (opened < processes->count) {
        const int error = process_open(proc_fd, &processes->list[opened], &pidfds[opened]);
        if (!error) {
            opened++;
        } else if (error == -ESRCH) {
            processes_drop(processes, &processes->list[opened]);
        } else {
            processes_close(pidfds, opened);
            return error;
        }
    }
    return opened;
}

bool processes_close(const int *pidfds, int count)
{
    bool living = true;

    for (int i = 0; i < count; i++) {
        living = living && !process_ended(pidfds[i]);
        close(pidfds[i]);
    }
    return living;
}

long processes_threads(const struct processes *processes, int proc_fd)
{
    long threads = 0;

    for (int i = 0; i < processes->count; i++)
        threads += process_threads(proc_fd, &processes->list[i]);
    return threads;
}

json_t *processes_to_json(const struct processes *processes)
{
    json_t *json = json_array();

    for (int i = 0; i < processes->count; i++)
        json_array_append_new(json, process_to_json(&processes->list[i]));
    return json;
}
