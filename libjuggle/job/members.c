/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/job/members.h"

#include "libjuggle/ground/fault.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct members {
    struct fault fault;
    int max;
    int limit;  /* indexes in use are below */
    int oldest; /* where the search for a member to forget goes on */
    struct members_unlisted forgotten;
    int64_t run_max_ns; /* the highest of any so far */
    struct member list[];
};

int members_create(int members_max, struct members **members)
{
    const size_t count = (size_t)members_max;
    struct members *made = calloc(1, sizeof(*made) + count * sizeof(made->list[0]));

    if (!made)
        return -ENOMEM;
    made->max = members_max;
    *members = made;
    return 0;
}

void members_destroy(struct members *members)
{
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

/* Returns an index for a new member. The search for one to forget ends, because there are more
 * indexes than balanced threads. */
static int find_room(struct members *members)
{
    if (members->limit < members->max)
        return members->limit++;
    for (int i = 0; members->list[members->oldest].state == MEMBER_BALANCED &&
                    HOLDS(&members->fault, i < members->max);
         i++)
        members->oldest = (members->oldest + 1) % members->max;
    int index = members->oldest;
    members->forgotten.count++;
    members->forgotten.progress_ns += members->list[index].view.progress_ns;
    members->oldest = (members->oldest + 1) % members->max;
    return index;
}

/* True if the index is still the thread's: the member may have been forgotten, and another have its
 * place. */
static bool is_member(struct members *members, int index, const struct thread_id *id)
{
    return index != MEMBER_NONE && index_holds(members, index) &&
           thread_id_equal(&members->list[index].id, id);
}

int members_join(struct members *members, const struct thread_info *info, int index)
{
    if (!is_member(members, index, &info->id)) {
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
    member->view.slices_count += member->base.slices_count;
    members->run_max_ns = max_i64(members->run_max_ns, member->view.run_ns);
}

void members_leave(struct members *members, int index, enum member_state state)
{
    if (!index_holds(members, index) || !HOLDS(&members->fault, state != MEMBER_BALANCED) ||
        !HOLDS(&members->fault, members->list[index].state == MEMBER_BALANCED))
        return;
    members->list[index].state = state;
}

void members_end(struct members *members, int index, const struct thread_id *id)
{
    if (is_member(members, index, id))
        members->list[index].state = MEMBER_ENDED;
}

int members_limit(const struct members *members)
{
    return members->limit;
}

const struct member *members_get(const struct members *members, int index)
{
    return &members->list[index];
}

static bool is_helper(const struct members *members, const struct member *member)
{
    return member->state != MEMBER_BALANCED &&
           (double)member->view.run_ns < MEMBERS_RUN_SHARE * (double)members->run_max_ns;
}

struct members_unlisted members_unlisted(const struct members *members)
{
    struct members_unlisted unlisted = members->forgotten;
    int64_t all_ns = 0, helpers_ns = 0;

    for (int i = 0; i < members->limit; i++) {
        const struct member *member = &members->list[i];
        all_ns += member->view.run_ns;
        if (!is_helper(members, member))
            continue;
        helpers_ns += member->view.run_ns;
        unlisted.count++;
        unlisted.progress_ns += member->view.progress_ns;
    }
    unlisted.helpers = (double)helpers_ns < MEMBERS_HELPERS_SHARE * (double)all_ns;
    return unlisted.helpers ? unlisted : members->forgotten;
}

bool members_is_listed(const struct members *members, const struct members_unlisted *unlisted,
                       int index)
{
    return !unlisted->helpers || !is_helper(members, &members->list[index]);
}
