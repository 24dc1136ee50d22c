/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/job/members.h"

#include "libjuggle/ground/fault.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Links are one more than an index. */
enum { NONE = 0 };

struct members {
    struct fault fault;
    int max;
    int *buckets; /* `max` of them, by tid: links to those that left... */
    int *links;   /* ...and from each to the next */
    int limit;    /* indexes in use are below */
    int oldest;   /* where the search for a member to forget goes on */
    int64_t dropped;
    int64_t run_max_ns; /* of any so far */
    struct member list[];
};

int members_create(int members_max, struct members **members)
{
    const size_t count = (size_t)members_max;
    struct members *made = calloc(1, sizeof(*made) + count * sizeof(made->list[0]));

    if (!made)
        return -ENOMEM;
    made->max = members_max;
    made->buckets = calloc(count, sizeof(int));
    made->links = calloc(count, sizeof(int));
    if (!made->buckets || !made->links) {
        members_destroy(made);
        return -ENOMEM;
    }
    *members = made;
    return 0;
}

void members_destroy(struct members *members)
{
    if (!members)
        return;
    free(members->links);
    free(members->buckets);
    free(members);
}

const char *members_fault(const struct members *members)
{
    return fault_text(&members->fault);
}

static bool index_holds(struct members *members, int index)
{
    return HOLDS(&members->fault, index >= 0 && index < members->limit);
}

/* ---- those that left, by tid: a program may have thousands of threads come back ---- */

static int *bucket_of(struct members *members, pid_t tid)
{
    return &members->buckets[tid % members->max];
}

/* The link that leads to this thread; a link to NONE if it did not leave. */
static int *left_link(struct members *members, const struct thread_id *id)
{
    int *link = bucket_of(members, id->tid);

    for (int i = 0; *link != NONE && !thread_id_equal(&members->list[*link - 1].id, id); i++) {
        link = &members->links[*link - 1];
        if (!HOLDS(&members->fault, *link >= NONE && *link <= members->max) ||
            !HOLDS(&members->fault, i < members->max))
            *link = NONE;
    }
    return link;
}

static void left_add(struct members *members, int index)
{
    int *link = bucket_of(members, members->list[index].id.tid);

    members->links[index] = *link;
    *link = index + 1;
}

/* Its index, or -1. */
static int left_take(struct members *members, const struct thread_id *id)
{
    int *link = left_link(members, id);
    const int index = *link - 1;

    if (index >= 0)
        *link = members->links[index];
    return index;
}

/* ---- members ---- */

/* There are never more balanced threads than indexes, so the search ends. */
static int find_room(struct members *members)
{
    if (members->limit < members->max)
        return members->limit++;
    for (int i = 0; members->list[members->oldest].state == MEMBER_BALANCED &&
                    HOLDS(&members->fault, i < members->max);
         i++)
        members->oldest = (members->oldest + 1) % members->max;
    members->dropped++;
    int index = members->oldest;
    members->oldest = (members->oldest + 1) % members->max;
    if (members->list[index].state == MEMBER_LEFT)
        left_take(members, &members->list[index].id);
    return index;
}

int members_join(struct members *members, const struct thread_info *info)
{
    int index = left_take(members, &info->id);

    if (index < 0) {
        index = find_room(members);
        members->list[index] = (struct member){.id = info->id, .cpu = -1};
    }
    struct member *member = &members->list[index];
    member->base = member->view;
    member->state = MEMBER_BALANCED;
    members_rename(members, index, &info->comm);
    return index;
}

void members_rename(struct members *members, int index, const struct comm *comm)
{
    members->list[index].comm = *comm;
}

void members_update(struct members *members, int index, const struct thread_view *view, int cpu)
{
    struct member *member = &members->list[index];

    if (!index_holds(members, index) || !HOLDS(&members->fault, member->state == MEMBER_BALANCED))
        return;
    member->cpu = cpu;
    member->view = *view;
    member->view.progress_ns += member->base.progress_ns;
    member->view.run_ns += member->base.run_ns;
    member->view.wait_ns += member->base.wait_ns;
    member->view.blocked_ns += member->base.blocked_ns;
    members->run_max_ns = max_i64(members->run_max_ns, member->view.run_ns);
}

void members_leave(struct members *members, int index, enum member_state state)
{
    if (!index_holds(members, index) || !HOLDS(&members->fault, state != MEMBER_BALANCED) ||
        !HOLDS(&members->fault, members->list[index].state == MEMBER_BALANCED))
        return;
    members->list[index].state = state;
    if (state == MEMBER_LEFT)
        left_add(members, index);
}

int members_limit(const struct members *members)
{
    return members->limit;
}

const struct member *members_get(const struct members *members, int index)
{
    const struct member *member = &members->list[index];

    if (member->state != MEMBER_BALANCED &&
        (double)member->view.run_ns < MEMBERS_RUN_SHARE * (double)members->run_max_ns)
        return NULL;
    return member;
}

int64_t members_dropped(const struct members *members)
{
    return members->dropped;
}
