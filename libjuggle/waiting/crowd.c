/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/waiting/crowd.h"

#include <sched.h>
#include <string.h>
#include <unistd.h>

enum { COUNT_END = 1 << 20 };

/* Reads "3", or the number for the first node of Slurm's "3(x2),1", which holds for this node only
 * if the list has one entry. 0 if it is no such number. Does not call the C library, whose
 * functions for this have other names in each version. */
static int count_of(const char *text)
{
    int count = 0;

    if (!text)
        return 0;
    text += strspn(text, " \t");
    for (; *text >= '0' && *text <= '9' && count < COUNT_END; text++)
        count = 10 * count + (*text - '0');
    const bool whole = *text == '\0' || *text == '(' || *text == ',';
    return whole && count < COUNT_END ? count : 0;
}

int crowd_processes(crowd_variable *variable)
{
    static const char *const names[] = {
        "OMPI_COMM_WORLD_LOCAL_SIZE", /* mpirun of Open MPI, and prterun */
        "MPI_LOCALNRANKS",            /* hydra, of MPICH and its kin */
        "SLURM_STEP_TASKS_PER_NODE",  /* srun */
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const int count = count_of(variable(names[i]));
        if (count > 0)
            return count;
    }
    return 1;
}

int crowd_threads(crowd_variable *variable)
{
    const int count = count_of(variable("OMP_NUM_THREADS"));

    return count > 0 ? count : 1;
}

bool crowd_oversubscribes(crowd_variable *variable, int processors_count)
{
    return (long)crowd_processes(variable) * crowd_threads(variable) > processors_count;
}

int crowd_processors(void)
{
    cpu_set_t allowed;
    const long online = sysconf(_SC_NPROCESSORS_ONLN);

    if (sched_getaffinity(0, sizeof(allowed), &allowed) || CPU_COUNT(&allowed) < 2)
        return online > 0 ? (int)online : 1;
    return CPU_COUNT(&allowed);
}
