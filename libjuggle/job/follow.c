/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/job/follow.h"

#include "libjuggle/ground/fault.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

enum { NODE_UNKNOWN = -1 };

struct tenant {
    pid_t pid; /* 0: free */
    int processor, node;
    int64_t since_ns; /* when it came to the node */
    int memory_node;  /* where the memory of its process was moved */
};

struct follow {
    struct fault fault;
    struct follow_port port;
    int threads_max;
    struct tenant tenants[]; /* by thread */
};

int follow_create(int threads_max, const struct follow_port *port, struct follow **result)
{
    struct follow *follow = calloc(1, sizeof(*follow) +
                                          (size_t)threads_max * sizeof(follow->tenants[0]));

    if (!follow)
        return -ENOMEM;
    follow->port = *port;
    follow->threads_max = threads_max;
    *result = follow;
    return 0;
}

void follow_destroy(struct follow *follow)
{
    free(follow);
}

const char *follow_fault(const struct follow *follow)
{
    return fault_text(&follow->fault);
}

static bool index_holds(struct follow *follow, int index)
{
    return HOLDS(&follow->fault, index >= 0 && index < follow->threads_max);
}

/* The kernel takes process 0 for the caller: our own memory would be moved. */
void follow_arrived(struct follow *follow, int index, pid_t pid)
{
    if (!index_holds(follow, index) || !HOLDS(&follow->fault, pid > 0) ||
        !HOLDS(&follow->fault, !follow->tenants[index].pid))
        return;
    follow->tenants[index] = (struct tenant){
        .pid = pid,
        .node = NODE_UNKNOWN,
        .memory_node = NODE_UNKNOWN,
    };
}

void follow_left(struct follow *follow, int index)
{
    if (index_holds(follow, index))
        follow->tenants[index].pid = 0;
}

void follow_see(struct follow *follow, int index, int processor, int node, int64_t now_ns)
{
    if (!index_holds(follow, index) || !HOLDS(&follow->fault, processor >= 0))
        return;
    struct tenant *tenant = &follow->tenants[index];

    if (tenant->node != node)
        tenant->since_ns = now_ns;
    tenant->processor = processor;
    tenant->node = node;
}

static bool has_settled(const struct tenant *tenant, int64_t now_ns)
{
    return tenant->node != NODE_UNKNOWN && now_ns - tenant->since_ns >= FOLLOW_SETTLED_NS;
}

/* True if all threads of the process are settled where its first thread is. False if `first` is
 * another one, so that each process is judged once. */
static bool process_has_settled(const struct follow *follow, int first, int64_t now_ns)
{
    const struct tenant *leader = &follow->tenants[first];

    for (int index = 0; index < follow->threads_max; index++) {
        const struct tenant *tenant = &follow->tenants[index];
        if (tenant->pid != leader->pid)
            continue;
        if (index < first || tenant->node != leader->node || !has_settled(tenant, now_ns))
            return false;
    }
    return true;
}

/* Notes it for all threads of the process, because another becomes the first when this one
 * leaves. */
static void memory_note(struct follow *follow, pid_t pid, int node)
{
    for (int index = 0; index < follow->threads_max; index++)
        if (follow->tenants[index].pid == pid)
            follow->tenants[index].memory_node = node;
}

void follow_decide(struct follow *follow, int64_t now_ns)
{
    for (int index = 0; index < follow->threads_max; index++) {
        struct tenant *leader = &follow->tenants[index];
        if (!leader->pid || leader->node == leader->memory_node ||
            !process_has_settled(follow, index, now_ns))
            continue;
        if (!HOLDS(&follow->fault, leader->pid > 0 && leader->processor >= 0))
            return;
        /* A move that fails for another reason than the bound would fail again. */
        if (follow->port.move(follow->port.context, leader->pid, leader->processor, now_ns) !=
            -EAGAIN)
            memory_note(follow, leader->pid, leader->node);
    }
}
