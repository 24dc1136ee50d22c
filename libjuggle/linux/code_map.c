/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/code_map.h"

#include "libjuggle/ground/units.h"
#include "libjuggle/linux/procfs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A mapping of a process's memory that is code. `file` is the name of the mapped file without its
 * directories, in brackets if the kernel has named it, and empty if there is none. mappings_walk
 * calls `see` for each such mapping until that returns false; for none if the process is hidden or
 * has ended. */
struct mapping {
    uint64_t begin, end;
    const char *file;
    bool is_private_file; /* mapped for this process alone, from a file system */
};

typedef bool mapping_see(void *context, const struct mapping *mapping);

/* True if the kernel names memory as if it were a file. Compilers write code to such memory while
 * the program runs. */
static bool is_memory(const char *line)
{
    static const char *const names[] = {" /memfd:", " /anon_hugepage", " /dev/zero"};

    for (size_t i = 0; i < ARRAY_COUNT(names); i++)
        if (strstr(line, names[i]))
            return true;
    return false;
}

static void mappings_walk(int proc_fd, pid_t pid, mapping_see *see, void *context)
{
    FILE *maps = procfs_process_open(proc_fd, pid, "maps");
    char *line = NULL;
    size_t size = 0;
    bool more = true;

    if (!maps)
        return;
    while (more && getline(&line, &size, maps) > 0) {
        struct mapping mapping = {0};
        char executes, shares;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*c%*c%c%c", &mapping.begin, &mapping.end,
                   &executes, &shares) != 4 ||
            executes != 'x')
            continue;
        char *slash = strrchr(line, '/');
        char *bracket = strchr(line, '[');
        char *file = slash ? slash + 1 : bracket;
        mapping.is_private_file = shares == 'p' && slash && !is_memory(line);
        if (file)
            file[strcspn(file, " \n")] = '\0';
        mapping.file = file ? file : "";
        more = see(context, &mapping);
    }
    free(line);
    fclose(maps);
}

/* ---- where threads wait ---- */

static const struct {
    const char *prefix;
    enum runtime_kind kind;
} runtimes[] = {
    {"libgomp.so", RUNTIME_WAITS},
    {"libomp.so", RUNTIME_WAITS},
    {"libiomp5.so", RUNTIME_WAITS},
    {"libmpi", RUNTIME_POLLS}, /* of Open MPI and of MPICH */
    {"libopen-pal.so", RUNTIME_POLLS},
    {"mca_btl_", RUNTIME_POLLS}, /* plugins of Open MPI */
    {"mca_mtl_", RUNTIME_POLLS},
    {"mca_pml_", RUNTIME_POLLS},
    {"libfabric.so", RUNTIME_POLLS},
    {"libucp.so", RUNTIME_POLLS},
    {"libuct", RUNTIME_POLLS},
    {"libucs.so", RUNTIME_POLLS},
    {"libc.so", RUNTIME_LIBC},
    {"libc-2.", RUNTIME_LIBC}, /* glibc before 2.34 */
    {"libpthread-2.", RUNTIME_LIBC},
    {"ld-musl-", RUNTIME_LIBC},
    {"libjuggle-spinning.so", RUNTIME_OWN},
    {"libjuggle-waiting.so", RUNTIME_OWN},
    {"libjuggle-ompt.so", RUNTIME_OWN},
    {"[vdso]", RUNTIME_VDSO},
};

static bool runtime_see(void *context, const struct mapping *mapping)
{
    struct runtime_code *code = context;

    for (size_t i = 0; i < ARRAY_COUNT(runtimes); i++)
        if (!strncmp(mapping->file, runtimes[i].prefix, strlen(runtimes[i].prefix)))
            code->parts[code->parts_count++] = (struct runtime_part){mapping->begin, mapping->end,
                                                                     runtimes[i].kind};
    return code->parts_count < RUNTIME_PARTS_MAX;
}

void runtime_code_read(int proc_fd, pid_t pid, struct runtime_code *code)
{
    *code = (struct runtime_code){0};
    mappings_walk(proc_fd, pid, runtime_see, code);
}

bool runtime_code_has(const struct runtime_code *code, enum runtime_kind kind)
{
    for (int i = 0; i < code->parts_count; i++)
        if (code->parts[i].kind == kind)
            return true;
    return false;
}

const struct runtime_part *runtime_code_at(const struct runtime_code *code, uint64_t address)
{
    for (int i = 0; i < code->parts_count; i++)
        if (address >= code->parts[i].begin && address < code->parts[i].end)
            return &code->parts[i];
    return NULL;
}

/* ---- one place ---- */

struct code_search {
    uint64_t address;
    struct code_place *place; /* NULL: its name is not asked for */
    bool is_private_file;
};

static bool place_see(void *context, const struct mapping *mapping)
{
    struct code_search *search = context;

    if (search->address < mapping->begin || search->address >= mapping->end)
        return true;
    search->is_private_file = mapping->is_private_file;
    if (search->place)
        snprintf(search->place->untrusted, sizeof(search->place->untrusted), "%s", mapping->file);
    return false;
}

void code_place_find(int proc_fd, pid_t pid, uint64_t address, struct code_place *place)
{
    struct code_search search = {.address = address, .place = place};

    *place = (struct code_place){0};
    mappings_walk(proc_fd, pid, place_see, &search);
}

bool code_is_of_private_file(int proc_fd, pid_t pid, uint64_t address)
{
    struct code_search search = {.address = address};

    mappings_walk(proc_fd, pid, place_see, &search);
    return search.is_private_file;
}
