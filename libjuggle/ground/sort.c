/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/ground/sort.h"

#include <stdbool.h>

static bool item_before(struct sort_item a, struct sort_item b)
{
    return a.key < b.key || (a.key == b.key && a.index < b.index);
}

/* Heap with the last item of the order on top. */
static void sift_down(struct sort_item *items, int root, int count)
{
    const struct sort_item sinking = items[root];

    for (int child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && item_before(items[child], items[child + 1]))
            child++;
        if (!item_before(sinking, items[child]))
            break;
        items[root] = items[child];
    }
    items[root] = sinking;
}

void sort_items(struct sort_item *items, int count)
{
    for (int root = count / 2 - 1; root >= 0; root--)
        sift_down(items, root, count);
    for (int last = count - 1; last > 0; last--) {
        const struct sort_item top = items[0];
        items[0] = items[last];
        items[last] = top;
        sift_down(items, 0, last);
    }
}
