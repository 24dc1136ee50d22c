/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/waiting/crowd.h"

#include <sched.h>
#include <string.h>
#include <unistd.h>

enum {
    COUNT_END = 1 << 20,
    /* The kernel refuses to write its mask to a set that has no room for all processors that there
     * can ever be; none is built for more than these. */
    PROCESSORS_MAX = 8192,
};

/* Reads a number and moves *text behind it. 0 if there is none, or if it is too large. Does not
 * call the C library, whose functions for this have other names in each version. */
static int number_take(const char **text)
{
    int number = 0;

    for (; **text >= '0' && **text <= '9' && number < COUNT_END; ++*text)
        number = 10 * number + (**text - '0');
    return number < COUNT_END ? number : 0;
}

/* Reads "3", or what Slurm's "3(x2),1" says of a node: 3 for the nodes 0 and 1, 1 for node 2. 0 if
 * it says nothing of the node. */
static int count_of(const char *text, int node)
{
    if (!text)
        return 0;
    text += strspn(text, " \t");
    for (;;) {
        const int count = number_take(&text);
        int nodes_count = 1;
        if (!count || (*text != '\0' && *text != '(' && *text != ','))
            return 0;
        if (node > 0 && text[0] == '(' && text[1] == 'x') {
            text += 2;
            nodes_count = number_take(&text);
            if (nodes_count == 0 || *text++ != ')')
                return 0;
        }
        if (node < nodes_count)
            return count;
        if (*text++ != ',')
            return 0;
        node -= nodes_count;
    }
}

/* Returns this node's number in the step that srun started. 0 if Slurm tells none. */
static int node_of_step(crowd_variable *variable)
{
    return count_of(variable("SLURM_NODEID"), 0);
}

int crowd_processes(crowd_variable *variable)
{
    static const char *const names[] = {
        "OMPI_COMM_WORLD_LOCAL_SIZE", /* mpirun of Open MPI, and prterun */
        "MPI_LOCALNRANKS",            /* hydra, of MPICH and its kin */
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const int count = count_of(variable(names[i]), 0);
        if (count > 0)
            return count;
    }
    const int of_step = count_of(variable("SLURM_STEP_TASKS_PER_NODE"), node_of_step(variable));
    return of_step > 0 ? of_step : 1;
}

int crowd_threads(crowd_variable *variable)
{
    const int count = count_of(variable("OMP_NUM_THREADS"), 0);

    return count > 0 ? count : 1;
}

bool crowd_oversubscribes(crowd_variable *variable, int processors_count)
{
    return (long)crowd_processes(variable) * crowd_threads(variable) > processors_count;
}

int crowd_processors(void)
{
    cpu_set_t allowed[PROCESSORS_MAX / CPU_SETSIZE];
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    const bool known = !sched_getaffinity(0, sizeof(allowed), allowed);
    const int count = known ? CPU_COUNT_S(sizeof(allowed), allowed) : 0;

    return count > 1 ? count : online > 0 ? (int)online : 1;
}
