/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/memory.h"

#include "libjuggle/linux/cpu_mask.h"
#include "libjuggle/linux/procfs.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_PER_KB INT64_C(1024)

struct memory {
    int proc_fd;
    int64_t bytes_per_second;
    int domains_count;
    bool matters;                   /* the machine has processors of several nodes */
    bool may_follow;                /* it was asked for, and several nodes have processors */
    bool is_origin[NUMA_NODES_MAX]; /* has processors: memory there may follow */
    int (*migrate)(pid_t pid, const bool from[NUMA_NODES_MAX], int to);
    int node_of_processor[MACHINE_PROCESSORS_MAX];
    int domain_of_node[NUMA_NODES_MAX]; /* -1: none of the machine's */
    int64_t allowance_bytes;            /* that may follow at allowed_ns */
    int64_t allowed_ns;
};

/* A node belongs to the domain that holds the first of its processors, because domains given by
 * hand may cut a node in two. Nodes outside of the machine count as origins, too, because a process
 * may have been started on any node. */
static void node_learn(struct memory *memory, const struct machine *machine, int node,
                       const struct cpu_mask *processors)
{
    memory->is_origin[node] = true;
    for (int i = machine->processors_count - 1; i >= 0; i--)
        if (cpu_mask_has(processors, machine->processors[i].os_index)) {
            memory->node_of_processor[i] = node;
            memory->domain_of_node[node] = machine->processors[i].domain;
        }
}

static void nodes_learn(struct memory *memory, const struct machine *machine, int sys_fd)
{
    struct cpu_mask nodes, processors;
    int origins_count = 0;

    memset(memory->domain_of_node, -1, sizeof(memory->domain_of_node));
    if (numa_nodes_online(sys_fd, &nodes))
        return;
    for (int node = -1; (node = cpu_mask_next(&nodes, node)) >= 0 && node < NUMA_NODES_MAX;) {
        if (numa_node_processors(sys_fd, node, &processors))
            continue;
        node_learn(memory, machine, node, &processors);
        origins_count++;
    }
    for (int i = 1; i < machine->processors_count; i++)
        memory->matters |= memory->node_of_processor[i] != memory->node_of_processor[0];
    memory->may_follow = memory->bytes_per_second && origins_count > 1;
}

int memory_create(const struct machine *machine, const struct memory_options *options,
                  struct memory **memory)
{
    struct memory *created = calloc(1, sizeof(*created));

    if (!created)
        return -ENOMEM;
    created->proc_fd = options->proc_fd;
    created->bytes_per_second = options->bytes_per_second;
    created->allowance_bytes = options->bytes_per_second;
    created->domains_count = machine->domains_count;
    created->migrate = options->migrate ? options->migrate : numa_nodes_migrate;
    nodes_learn(created, machine, options->sys_fd);
    *memory = created;
    return 0;
}

void memory_destroy(struct memory *memory)
{
    free(memory);
}

bool memory_may_follow(const struct memory *memory)
{
    return memory->may_follow;
}

int memory_node(const struct memory *memory, int processor)
{
    return memory->node_of_processor[processor];
}

/* ---- residence ---- */

/* "N3=17" counts pages of "kernelpagesize_kB=4", which ends the line. */
static void line_add(const char *line, int64_t bytes[NUMA_NODES_MAX])
{
    const char *size = strstr(line, " kernelpagesize_kB=");
    int64_t page_bytes;

    if (!size)
        return;
    page_bytes = strtoll(strchr(size, '=') + 1, NULL, 10) * BYTES_PER_KB;
    for (const char *field = strstr(line, " N"); field; field = strstr(field + 1, " N")) {
        char *end;
        long node = strtol(field + 2, &end, 10);
        if (*end == '=' && node >= 0 && node < NUMA_NODES_MAX)
            bytes[node] += strtoll(end + 1, NULL, 10) * page_bytes;
    }
}

static int nodes_read(const struct memory *memory, pid_t pid, int64_t bytes[NUMA_NODES_MAX])
{
    size_t line_size = 0;
    char *line = NULL;
    FILE *maps = procfs_process_open(memory->proc_fd, pid, "numa_maps");

    if (!maps)
        return errno == ENOENT ? -ESRCH : -errno;
    memset(bytes, 0, sizeof(bytes[0]) * NUMA_NODES_MAX);
    while (getline(&line, &line_size, maps) >= 0)
        line_add(line, bytes);
    free(line);
    fclose(maps);
    return 0;
}

int memory_residence(const struct memory *memory, pid_t pid, int64_t bytes[MACHINE_DOMAINS_MAX])
{
    int64_t node_bytes[NUMA_NODES_MAX];
    int error = nodes_read(memory, pid, node_bytes);

    if (error)
        return error;
    memset(bytes, 0, sizeof(bytes[0]) * MACHINE_DOMAINS_MAX);
    for (int node = 0; node < NUMA_NODES_MAX; node++)
        if (memory->domain_of_node[node] >= 0)
            bytes[memory->domain_of_node[node]] += node_bytes[node];
    return 0;
}

int memory_home(const struct memory *memory, pid_t pid)
{
    int64_t bytes[MACHINE_DOMAINS_MAX];
    int64_t total_bytes = 0;

    if (!memory->matters || memory_residence(memory, pid, bytes))
        return -1;
    for (int domain = 0; domain < memory->domains_count; domain++)
        total_bytes += bytes[domain];
    for (int domain = 0; domain < memory->domains_count; domain++)
        if (bytes[domain] > total_bytes / 2)
            return domain;
    return -1;
}

/* ---- following ---- */

/* Takes bytes from the allowance, which grows with time, up to that of one second. A process that
 * is larger may move when the allowance is full, and makes it negative. False: the allowance is too
 * small now. */
static bool allowance_take(struct memory *memory, int64_t bytes, int64_t now_ns)
{
    double elapsed_s = (double)(now_ns - memory->allowed_ns) / (double)NSEC_PER_SEC;
    double earned_bytes = (double)memory->bytes_per_second * elapsed_s;

    memory->allowed_ns = now_ns;
    memory->allowance_bytes = (int64_t)fmin((double)memory->allowance_bytes + earned_bytes,
                                            (double)memory->bytes_per_second);
    if (memory->allowance_bytes < min_i64(bytes, memory->bytes_per_second))
        return false;
    memory->allowance_bytes -= bytes;
    return true;
}

int memory_follow(struct memory *memory, pid_t pid, int processor, int64_t now_ns)
{
    int to = memory->node_of_processor[processor];
    int64_t bytes[NUMA_NODES_MAX];
    bool from[NUMA_NODES_MAX] = {false};
    int64_t away_bytes = 0;
    int error;

    if (!memory_may_follow(memory))
        return 0;
    error = nodes_read(memory, pid, bytes);
    if (error)
        return error;
    for (int node = 0; node < NUMA_NODES_MAX; node++) {
        from[node] = node != to && memory->is_origin[node] && bytes[node] > 0;
        away_bytes += from[node] ? bytes[node] : 0;
    }
    if (away_bytes == 0)
        return 0;
    if (!allowance_take(memory, away_bytes, now_ns))
        return -EAGAIN;
    return memory->migrate(pid, from, to);
}
