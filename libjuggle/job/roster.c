/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/job/roster.h"

#include "libjuggle/ground/fault.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Links are one more than an index, so that zeroed memory is a roster without threads, and none of
 * its pages is touched before it is used. */
enum { NONE = 0 };

struct roster_entry {
    bool used;
    bool seen; /* in the look under way */
    int next;  /* link, in its bucket or among the free ones */
    struct thread_info info;
};

struct roster {
    struct fault fault;
    int threads_max;
    int threads_count;
    int limit;
    int changes_count; /* in the look under way */
    int free;          /* link to an entry that was given back */
    int fresh;         /* index: neither this entry nor one above was ever used */
    int *buckets;      /* threads_max of them, by tid: links */
    struct roster_entry entries[];
};

int roster_create(int threads_max, struct roster **roster)
{
    size_t entries_size = sizeof(struct roster_entry) * (size_t)threads_max;
    struct roster *created = calloc(1, sizeof(*created) + entries_size);

    if (!created)
        return -ENOMEM;
    created->buckets = calloc((size_t)threads_max, sizeof(int));
    if (!created->buckets) {
        free(created);
        return -ENOMEM;
    }
    created->threads_max = threads_max;
    *roster = created;
    return 0;
}

void roster_destroy(struct roster *roster)
{
    if (!roster)
        return;
    free(roster->buckets);
    free(roster);
}

static int *bucket_of(const struct roster *roster, pid_t tid)
{
    return &roster->buckets[tid % roster->threads_max];
}

const char *roster_fault(const struct roster *roster)
{
    return fault_text(&roster->fault);
}

/* Checks that the link leads to an entry, and that the walk is no longer than there are entries. */
static bool link_holds(struct roster *roster, int link, int *steps_count)
{
    return HOLDS(&roster->fault, link > NONE && link <= roster->fresh) &&
           HOLDS(&roster->fault, (*steps_count)++ < roster->fresh);
}

/* -1 if it is not known. */
static int index_of(struct roster *roster, pid_t tid)
{
    int link = *bucket_of(roster, tid), steps_count = 0;

    while (link != NONE && link_holds(roster, link, &steps_count)) {
        if (roster->entries[link - 1].info.id.tid == tid)
            return link - 1;
        link = roster->entries[link - 1].next;
    }
    return -1;
}

/* -1 if there is none. */
static int free_take(struct roster *roster)
{
    const int index = roster->free - 1;

    if (index < 0)
        return roster->fresh < roster->threads_max ? roster->fresh++ : -1;
    /* Two threads with one index would be balanced as one. */
    if (!HOLDS(&roster->fault, index < roster->fresh) ||
        !HOLDS(&roster->fault, !roster->entries[index].used))
        return -1;
    roster->free = roster->entries[index].next;
    return index;
}

static int entry_take(struct roster *roster, const struct thread_info *info)
{
    const int index = free_take(roster);
    int *bucket = bucket_of(roster, info->id.tid);
    struct roster_entry *entry;

    if (index < 0)
        return index;
    entry = &roster->entries[index];
    *entry = (struct roster_entry){.used = true, .seen = true, .next = *bucket, .info = *info};
    *bucket = index + 1;
    roster->threads_count++;
    if (index >= roster->limit)
        roster->limit = index + 1;
    return index;
}

static void entry_give(struct roster *roster, int index)
{
    struct roster_entry *entry = &roster->entries[index];
    int *link = bucket_of(roster, entry->info.id.tid);
    int steps_count = 0;

    while (*link != index + 1) {
        if (!link_holds(roster, *link, &steps_count))
            return;
        link = &roster->entries[*link - 1].next;
    }
    *link = entry->next;
    entry->used = false;
    entry->next = roster->free;
    roster->free = index + 1;
    roster->threads_count--;
    (void)HOLDS(&roster->fault, roster->threads_count >= 0);
    while (roster->limit > 0 && !roster->entries[roster->limit - 1].used)
        roster->limit--;
}

static void tell(struct roster *roster, enum roster_change change, int index,
                 const struct roster_listener *listener)
{
    roster->changes_count++;
    listener->changed(listener->context, change, index, &roster->entries[index].info);
}

static void entry_exit(struct roster *roster, int index, const struct roster_listener *listener)
{
    tell(roster, ROSTER_EXITED, index, listener);
    entry_give(roster, index);
}

static int entry_arrive(struct roster *roster, const struct thread_info *info,
                        const struct roster_listener *listener)
{
    int index = entry_take(roster, info);

    if (index < 0)
        return -ENOSPC;
    tell(roster, ROSTER_ARRIVED, index, listener);
    return 0;
}

void roster_begin(struct roster *roster)
{
    roster->changes_count = 0;
    for (int i = 0; i < roster->limit; i++)
        roster->entries[i].seen = false;
}

int roster_see(struct roster *roster, const struct thread_info *info,
               const struct roster_listener *listener)
{
    struct roster_entry *entry;
    bool renamed;

    /* Numbers of threads are positive; the kernel takes 0 for the caller. */
    if (!HOLDS(&roster->fault, info->id.tid > 0 && info->id.pid > 0))
        return -EINVAL;
    const int index = index_of(roster, info->id.tid);
    if (index < 0)
        return entry_arrive(roster, info, listener);
    entry = &roster->entries[index];
    if (!thread_id_equal(&entry->info.id, &info->id)) {
        entry_exit(roster, index, listener);
        return entry_arrive(roster, info, listener);
    }
    renamed = strcmp(entry->info.comm.untrusted, info->comm.untrusted) != 0;
    entry->seen = true;
    entry->info = *info;
    if (renamed)
        tell(roster, ROSTER_RENAMED, index, listener);
    return 0;
}

int roster_end(struct roster *roster, const struct roster_listener *listener)
{
    for (int i = roster->limit - 1; i >= 0; i--)
        if (roster->entries[i].used && !roster->entries[i].seen)
            entry_exit(roster, i, listener);
    (void)HOLDS(&roster->fault, roster->limit <= roster->fresh);
    (void)HOLDS(&roster->fault, roster->threads_count <= roster->limit);
    return roster->changes_count;
}

const struct thread_info *roster_thread(const struct roster *roster, int index)
{
    if (index < 0 || index >= roster->limit || !roster->entries[index].used)
        return NULL;
    return &roster->entries[index].info;
}

int roster_count(const struct roster *roster)
{
    return roster->threads_count;
}

int roster_limit(const struct roster *roster)
{
    return roster->limit;
}
