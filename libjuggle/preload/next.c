/* SPDX-License-Identifier: BSD-3-Clause */
/* Interleaving. Threads that search for the same function at once find the same one. The last of
 * them is the one that is stored, and none is ever taken back. */
#include "libjuggle/preload/next.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

struct symbol_search {
    const char *library;
    int skip; /* how many libraries that match */
    char path[PATH_MAX];
};

static int search_path(struct dl_phdr_info *info, size_t size, void *context)
{
    struct symbol_search *search = context;
    const size_t length = strlen(info->dlpi_name);

    (void)size;
    if (length >= sizeof(search->path) || !strstr(info->dlpi_name, search->library) ||
        search->skip-- > 0)
        return 0;
    memcpy(search->path, info->dlpi_name, length + 1);
    return 1;
}

/* Calls dlopen() outside of dl_iterate_phdr(): within, it would wait for a thread that opens a
 * library and waits for the list. */
static void *find_within(const char *function, const char *library)
{
    struct symbol_search search = {.library = library};
    void *found = NULL;

    for (int i = 0; !found; i++) {
        search.skip = i;
        if (!dl_iterate_phdr(search_path, &search))
            return NULL;
        void *handle = dlopen(search.path, RTLD_LAZY | RTLD_NOLOAD);
        if (!handle)
            continue;
        found = dlsym(handle, function);
        dlclose(handle);
    }
    return found;
}

void *next_find(next_t *known, const char *function, const char *library)
{
    void *next = atomic_load_explicit(known, memory_order_relaxed);

    if (next)
        return next;
    next = dlsym(RTLD_NEXT, function);
    if (!next)
        next = find_within(function, library);
    atomic_store_explicit(known, next, memory_order_relaxed);
    return next;
}
