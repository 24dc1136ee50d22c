/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/care/entries.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

enum { ROOM_FIRST = 16 };

struct entry {
    void *value;
    bool dropped;
};

int entries_add(struct entries *entries, void *entry)
{
    if (!HOLDS(&entries->fault, entries->limit <= entries->room))
        return -EPROTO;
    if (entries->limit == entries->room) {
        const int room = entries->room ? 2 * entries->room : ROOM_FIRST;
        struct entry *list = realloc(entries->list, (size_t)room * sizeof(*list));
        if (!list)
            return -ENOMEM;
        entries->list = list;
        entries->room = room;
    }
    entries->list[entries->limit++] = (struct entry){entry, false};
    entries->count++;
    return 0;
}

void entries_drop(struct entries *entries, const void *entry)
{
    int i = 0;

    while (i < entries->limit && entries->list[i].value != entry)
        i++;
    if (!HOLDS(&entries->fault, i < entries->limit) ||
        !HOLDS(&entries->fault, !entries->list[i].dropped) ||
        !HOLDS(&entries->fault, entries->count > 0))
        return;
    entries->list[i].dropped = true;
    entries->count--;
}

void *entries_next(const struct entries *entries, int *cursor)
{
    while (*cursor < entries->limit) {
        const struct entry *entry = &entries->list[(*cursor)++];
        if (!entry->dropped)
            return entry->value;
    }
    return NULL;
}

int entries_sweep(struct entries *entries)
{
    const int dropped = entries->limit - entries->count;
    int kept = 0;

    /* If the counts were wrong, an entry could be freed while it is in use. */
    if (!HOLDS(&entries->fault, entries->limit <= entries->room) ||
        !HOLDS(&entries->fault, dropped >= 0) || !dropped)
        return 0;
    for (int i = 0; i < entries->limit; i++)
        if (entries->list[i].dropped)
            entries->destroy(entries->list[i].value);
        else
            entries->list[kept++] = entries->list[i];
    entries->limit = kept;
    (void)HOLDS(&entries->fault, kept == entries->count);
    return dropped;
}

void entries_release(struct entries *entries)
{
    for (int i = 0; i < entries->limit; i++)
        entries->destroy(entries->list[i].value);
    free(entries->list);
    entries->list = NULL;
    entries->limit = entries->room = entries->count = 0;
}
