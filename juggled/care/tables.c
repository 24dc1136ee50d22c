/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/care/tables.h"

#include "juggled/rules/trusted.h"
#include "cli/suffix.h"
#include "libjuggle/linux/mask_table.h"
#include "libjuggle/linux/restoration.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

struct visit {
    int dir_fd;
    struct mask_table **tables;
    int tables_count;
    int error; /* of a table that could not be read */
};

static int take(struct visit *visit, int fd)
{
    const size_t size = sizeof(void *) * ((size_t)visit->tables_count + 1);
    struct mask_table **larger = realloc(visit->tables, size);

    if (!larger)
        return -ENOMEM;
    visit->tables = larger;
    const int error = mask_table_read(fd, &larger[visit->tables_count]);
    visit->tables_count += !error;
    return error;
}

static int read_table(void *context, const char *name)
{
    struct visit *visit = context;

    if (!has_suffix(name, TABLES_SUFFIX))
        return 0;
    const int fd = openat(visit->dir_fd, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    const int error = fd < 0 ? -errno : take(visit, fd);
    if (fd >= 0)
        close(fd);
    /* Other errors mean that the file is no table, so that it owes no masks. */
    if (trusted_is_passing(error))
        visit->error = error;
    return 0;
}

int tables_restore(int dir_fd, int proc_fd, int *restored)
{
    struct visit visit = {.dir_fd = dir_fd};
    const int error = trusted_list(dir_fd, ".", read_table, &visit);

    *restored = restoration_run(proc_fd, visit.tables, visit.tables_count);
    for (int i = 0; i < visit.tables_count; i++)
        mask_table_destroy(visit.tables[i]);
    free(visit.tables);
    return trusted_is_passing(error) ? error : visit.error;
}

static int remove_table(void *context, const char *name)
{
    const int *dir_fd = context;

    if (has_suffix(name, TABLES_SUFFIX))
        unlinkat(*dir_fd, name, 0);
    return 0;
}

void tables_forget(int dir_fd)
{
    (void)!trusted_list(dir_fd, ".", remove_table, &dir_fd);
}
