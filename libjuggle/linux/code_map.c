/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/code_map.h"

#include "libjuggle/ground/units.h"
#include "libjuggle/linux/procfs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Calls `see` for each part of a process's memory that is code until that returns false. `file` is
 * the name of what is mapped there, without its folders; in brackets if the kernel has named it,
 * and empty where there is none. Nothing where the process is hidden or has ended. */
typedef bool part_see(void *context, uint64_t begin, uint64_t end, const char *file);

static void parts_walk(int proc_fd, pid_t pid, part_see *see, void *context)
{
    FILE *maps = procfs_process_open(proc_fd, pid, "maps");
    char *line = NULL;
    size_t size = 0;
    bool more = true;

    if (!maps)
        return;
    while (more && getline(&line, &size, maps) > 0) {
        uint64_t begin, end;
        char executes;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*c%*c%c", &begin, &end, &executes) != 3 ||
            executes != 'x')
            continue;
        char *slash = strrchr(line, '/');
        char *bracket = strchr(line, '[');
        char *file = slash ? slash + 1 : bracket;
        if (file)
            file[strcspn(file, " \n")] = '\0';
        more = see(context, begin, end, file ? file : "");
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
    {"libc.so", RUNTIME_LIBC},
    {"libc-2.", RUNTIME_LIBC}, /* glibc before 2.34 */
    {"libpthread-2.", RUNTIME_LIBC},
    {"ld-musl-", RUNTIME_LIBC},
    {"libjuggle-spinning.so", RUNTIME_OWN},
    {"libjuggle-waiting.so", RUNTIME_OWN},
    {"libjuggle-ompt.so", RUNTIME_OWN},
    {"[vdso]", RUNTIME_VDSO},
};

static bool runtime_see(void *context, uint64_t begin, uint64_t end, const char *file)
{
    struct runtime_code *code = context;

    for (size_t i = 0; i < ARRAY_COUNT(runtimes); i++)
        if (!strncmp(file, runtimes[i].prefix, strlen(runtimes[i].prefix)))
            code->parts[code->parts_count++] = (struct runtime_part){begin, end, runtimes[i].kind};
    return code->parts_count < RUNTIME_PARTS_MAX;
}

void runtime_code_read(int proc_fd, pid_t pid, struct runtime_code *code)
{
    *code = (struct runtime_code){0};
    parts_walk(proc_fd, pid, runtime_see, code);
}

const struct runtime_part *runtime_code_at(const struct runtime_code *code, uint64_t address)
{
    for (int i = 0; i < code->parts_count; i++)
        if (address >= code->parts[i].begin && address < code->parts[i].end)
            return &code->parts[i];
    return NULL;
}

/* ---- one place ---- */

struct search {
    uint64_t address;
    struct code_place *place;
};

static bool place_see(void *context, uint64_t begin, uint64_t end, const char *file)
{
    const struct search *search = context;

    if (search->address < begin || search->address >= end)
        return true;
    snprintf(search->place->untrusted, sizeof(search->place->untrusted), "%s", file);
    return false;
}

void code_place_find(int proc_fd, pid_t pid, uint64_t address, struct code_place *place)
{
    struct search search = {address, place};

    *place = (struct code_place){0};
    parts_walk(proc_fd, pid, place_see, &search);
}
