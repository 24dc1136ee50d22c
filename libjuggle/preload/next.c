/* SPDX-License-Identifier: BSD-3-Clause */
/* Interleaving. Threads that look for the same function at once find the same: the last one's word
 * stays, and none is ever taken back. */
#include "libjuggle/preload/next.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

struct search {
    const char *function, *library;
    void *found;
};

static int search_object(struct dl_phdr_info *info, size_t size, void *context)
{
    struct search *search = context;

    (void)size;
    if (!strstr(info->dlpi_name, search->library))
        return 0;
    void *handle = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle)
        return 0;
    search->found = dlsym(handle, search->function);
    dlclose(handle);
    return search->found ? 1 : 0;
}

void *next_find(next_t *known, const char *function, const char *library)
{
    void *next = atomic_load_explicit(known, memory_order_relaxed);

    if (next)
        return next;
    next = dlsym(RTLD_NEXT, function);
    if (!next) {
        struct search search = {function, library, NULL};
        dl_iterate_phdr(search_object, &search);
        next = search.found;
    }
    atomic_store_explicit(known, next, memory_order_relaxed);
    return next;
}
