/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/talk/seen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int seen_init(struct seen_table *table)
{
    *table = (struct seen_table){
        .now = calloc(SEEN_MAX, sizeof(struct seen)),
        .before = calloc(SEEN_MAX, sizeof(struct seen)),
    };
    return table->now && table->before ? 0 : -ENOMEM;
}

void seen_release(struct seen_table *table)
{
    free(table->now);
    free(table->before);
}

/* Returns the index of the first entry whose pid is not less. */
static int place_of(const struct seen *list, int count, pid_t pid)
{
    int low = 0, high = count;

    /* /proc lists processes by pid: most come behind all others. */
    if (count && list[count - 1].pid < pid)
        return count;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (list[middle].pid < pid)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const struct seen *find(const struct seen *list, int count, pid_t pid)
{
    const int at = place_of(list, count, pid);

    return at < count && list[at].pid == pid ? &list[at] : NULL;
}

const struct seen *seen_number(const struct seen_table *table, pid_t pid)
{
    return find(table->before, table->before_count, pid);
}

const struct seen *seen_before(const struct seen_table *table, pid_t pid, uint64_t start_ticks)
{
    const struct seen *before = seen_number(table, pid);

    return before && before->start_ticks == start_ticks ? before : NULL;
}

const struct seen *seen_last(const struct seen_table *table, pid_t pid, uint64_t start_ticks)
{
    const struct seen *now = find(table->now, table->now_count, pid);

    return now && now->start_ticks == start_ticks ? now : seen_before(table, pid, start_ticks);
}

void seen_add(struct seen_table *table, const struct seen *seen)
{
    struct seen *at = table->now + place_of(table->now, table->now_count, seen->pid);
    struct seen *end = table->now + table->now_count;

    if (at < end && at->pid == seen->pid) {
        *at = *seen;
        return;
    }
    if (table->now_count == SEEN_MAX)
        return;
    memmove(at + 1, at, (size_t)(end - at) * sizeof(*at));
    *at = *seen;
    table->now_count++;
}

void seen_finish(struct seen_table *table)
{
    struct seen *recycled = table->before;

    table->before = table->now;
    table->before_count = table->now_count;
    table->now = recycled;
    table->now_count = 0;
}

void seen_abandon(struct seen_table *table)
{
    for (int i = 0; i < table->before_count; i++)
        if (!find(table->now, table->now_count, table->before[i].pid))
            seen_add(table, &table->before[i]);
    seen_finish(table);
}
