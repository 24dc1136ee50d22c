/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/job/usable_machine.h"

#include "libjuggle/linux/problem.h"
#include "libjuggle/linux/topology.h"
#include "libjuggle/linux/topology_mistake.h"

#include <errno.h>
#include <stdlib.h>

/* Policies place surplus threads on the first processors of a domain. So processors with the fewest
 * threads of others come first; equal ones stay in order. */
static void order_by(const int *counts, struct machine *machine)
{
    for (int i = 1; i < machine->processors_count; i++) {
        const struct processor moved = machine->processors[i];
        int to = i;
        while (to > 0 && machine->processors[to - 1].domain == moved.domain &&
               counts[machine->processors[to - 1].os_index] > counts[moved.os_index]) {
            machine->processors[to] = machine->processors[to - 1];
            to--;
        }
        machine->processors[to] = moved;
    }
}

static int order_machine(struct machine *machine, const struct job_options *options)
{
    int *counts;

    if (!options->neighbors.count)
        return 0;
    counts = malloc(CPU_MASK_CPUS_MAX * sizeof(*counts));
    if (!counts)
        return -ENOMEM;
    options->neighbors.count(options->neighbors.context, counts);
    order_by(counts, machine);
    free(counts);
    return 0;
}

static int read_capacity(const struct job_options *options, int sys_fd,
                         const struct topology_speeds *speeds, struct machine *machine,
                         struct capacity *capacity, char *problem)
{
    const int error = capacity_set(options->capacity, sys_fd, speeds, machine, capacity);

    if (error)
        return problem_say(problem, JOB_PROBLEM_SIZE, error,
                           "capacity: must be auto, equal or a list of speeds such as 1x4,0.6x4");
    return 0;
}

int usable_machine_load(const struct job_options *options, int sys_fd, struct machine *machine,
                        struct capacity *capacity, char problem[JOB_PROBLEM_SIZE])
{
    struct topology_speeds speeds;
    char mistake[TOPOLOGY_MISTAKE_SIZE];
    const struct topology_options topology = {
        .cpus = options->cpus,
        .domains = options->domains,
        .inter_domain = options->inter_domain,
    };
    int error = topology_load(&topology, machine, &speeds);

    if (error) {
        topology_mistake(&topology, error, mistake);
        /* -EDOM says that the list of domains is wrong, which matters for the words alone. */
        return problem_say(problem, JOB_PROBLEM_SIZE, error == -EDOM ? -EINVAL : error, "%s",
                           mistake);
    }
    if (machine->processors_count < 2 && (options->cpus || options->domains))
        return problem_say(problem, JOB_PROBLEM_SIZE, -ENODEV,
                           "%s: this leaves one processor, so nothing can be balanced; the "
                           "program may use all that it has",
                           options->cpus ? "cpus" : "domains");
    error = read_capacity(options, sys_fd, &speeds, machine, capacity, problem);
    if (error)
        return error;
    error = order_machine(machine, options);
    if (error)
        return problem_say(problem, JOB_PROBLEM_SIZE, error, "no memory to read the machine");
    return 0;
}
