/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/tree.h"

#include "tests/lib/scratch.h"

#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int tree_create(void)
{
    char path[64];
    int tree_fd;

    scratch_folder(path, sizeof(path));
    tree_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ck_assert_msg(tree_fd >= 0, "cannot make %s", path);
    return tree_fd;
}

static void directories_make(int tree_fd, const char *path)
{
    char *partial = strdup(path);

    ck_assert_ptr_nonnull(partial);
    for (char *slash = strchr(partial, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdirat(tree_fd, partial, 0755);
        *slash = '/';
    }
    free(partial);
}

static void file_write(int tree_fd, const char *path, const char *contents, int how)
{
    int fd;

    directories_make(tree_fd, path);
    fd = openat(tree_fd, path, O_WRONLY | O_CREAT | O_CLOEXEC | how, 0644);
    ck_assert_msg(fd >= 0, "cannot write %s", path);
    ck_assert_int_eq(write(fd, contents, strlen(contents)), (ssize_t)strlen(contents));
    close(fd);
}

void tree_write(int tree_fd, const char *path, const char *contents)
{
    file_write(tree_fd, path, contents, O_TRUNC);
}

int tree_unpack(const char *recording)
{
    FILE *file = fopen(recording, "r");
    int tree_fd = tree_create();
    size_t size = 0;
    char *line = NULL;

    ck_assert_msg(file, "cannot read %s", recording);
    while (getline(&line, &size, file) >= 0) {
        char *tab = strchr(line, '\t');
        ck_assert_msg(tab, "no tab in a line of %s", recording);
        *tab = '\0';
        file_write(tree_fd, line, tab + 1, O_APPEND);
    }
    free(line);
    fclose(file);
    return tree_fd;
}

static void entries_remove(int directory_fd)
{
    DIR *directory = fdopendir(dup(directory_fd));
    const struct dirent *entry;

    ck_assert_ptr_nonnull(directory);
    rewinddir(directory);
    while ((entry = readdir(directory)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            tree_remove(directory_fd, entry->d_name);
    closedir(directory);
}

static void tree_destroy(int tree_fd)
{
    char link[64], path[256];
    ssize_t length;

    entries_remove(tree_fd);
    snprintf(link, sizeof(link), "/proc/self/fd/%d", tree_fd);
    length = readlink(link, path, sizeof(path) - 1);
    ck_assert_int_gt(length, 0);
    path[length] = '\0';
    ck_assert_int_eq(rmdir(path), 0);
    close(tree_fd);
}

void tree_remove(int tree_fd, const char *path)
{
    int fd;

    if (strcmp(path, ".") == 0) {
        tree_destroy(tree_fd);
        return;
    }
    fd = openat(tree_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        entries_remove(fd);
        close(fd);
    }
    ck_assert_msg(unlinkat(tree_fd, path, fd >= 0 ? AT_REMOVEDIR : 0) == 0, "cannot remove %s",
                  path);
}
