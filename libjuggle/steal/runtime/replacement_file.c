/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/replacement_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DRAWN_LETTERS = 6 }; /* of NAME.XXXXXXnew */

static bool is_special(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

/* Replaces the six X by random letters, and creates the file. Its permissions follow the umask, as
 * those of any other file of the program; mkostemps() ignores the umask. */
static int create(char *temporary)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
    char *place = temporary + strlen(temporary) - strlen("XXXXXXnew");
    unsigned char drawn[DRAWN_LETTERS];
    int fd;

    do {
        if (getrandom(drawn, sizeof(drawn), 0) < 0)
            return -errno;
        for (size_t i = 0; i < sizeof(drawn); i++)
            place[i] = letters[drawn[i] % (sizeof(letters) - 1)];
        fd = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (fd < 0 && errno == EEXIST);
    return fd < 0 ? -errno : fd;
}

int replacement_file_open(struct replacement_file *file, const char *path)
{
    *file = (struct replacement_file){.path = path, .fd = -1};
    if (is_special(path))
        return -EINVAL;
    if (asprintf(&file->temporary, "%s.XXXXXXnew", path) < 0) {
        file->temporary = NULL;
        return -ENOMEM;
    }
    const int fd = create(file->temporary);
    if (fd < 0)
        return fd;
    file->fd = fd;
    file->own = true;
    return 0;
}

int replacement_file_join(struct replacement_file *file, const char *temporary)
{
    *file = (struct replacement_file){.fd = open(temporary, O_WRONLY | O_CLOEXEC)};
    return file->fd < 0 ? -errno : 0;
}

int file_write_at(int fd, off_t at, const void *bytes, size_t size)
{
    const unsigned char *next = bytes;

    while (size > 0) {
        const ssize_t written = pwrite(fd, next, size, at);

        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return written == 0 ? -EIO : -errno;
        next += written;
        at += written;
        size -= (size_t)written;
    }
    return 0;
}

int replacement_file_sync(const struct replacement_file *file)
{
    return fsync(file->fd) < 0 ? -errno : 0;
}

/* Waits until the new name is on the disk. Some file systems cannot synchronize folders; that is
 * ignored. */
static void sync_folder(const char *path)
{
    char *copy = strdup(path);
    const int fd = copy ? open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(copy);
}

int replacement_file_commit(struct replacement_file *file)
{
    const int result = replacement_file_sync(file);

    if (result < 0)
        return result;
    if (rename(file->temporary, file->path) < 0)
        return -errno;
    file->own = false;
    sync_folder(file->path);
    return 0;
}

void replacement_file_close(struct replacement_file *file)
{
    if (file->fd >= 0)
        close(file->fd);
    if (file->own)
        unlink(file->temporary);
    free(file->temporary);
    *file = (struct replacement_file){.fd = -1};
}

/* True if the name found is NAME.XXXXXXnew. */
static bool is_left_over(const char *found, const char *name)
{
    const size_t length = strlen(name), whole = length + sizeof(".XXXXXXnew") - 1;

    return strlen(found) == whole && memcmp(found, name, length) == 0 && found[length] == '.' &&
           strcmp(found + whole - strlen("new"), "new") == 0;
}

void replacement_file_sweep(const char *path)
{
    char *folder_copy = strdup(path), *name_copy = strdup(path);
    DIR *folder = folder_copy && name_copy ? opendir(dirname(folder_copy)) : NULL;
    const char *name = name_copy ? basename(name_copy) : "";
    const struct dirent *entry;

    while (folder && (entry = readdir(folder)))
        if (is_left_over(entry->d_name, name))
            unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
    free(name_copy);
    free(folder_copy);
}

static int file_length(int fd, off_t *size)
{
    struct stat status;

    if (fstat(fd, &status) < 0)
        return -errno;
    if (!S_ISREG(status.st_mode))
        return S_ISDIR(status.st_mode) ? -EISDIR : -EINVAL;
    *size = status.st_size;
    return 0;
}

int file_open_read(const char *path, off_t *size)
{
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    int result;

    if (fd < 0)
        return -errno;
    result = file_length(fd, size);
    if (result == 0)
        return fd;
    close(fd);
    return result;
}

int file_read_at(int fd, off_t at, void *bytes, size_t size)
{
    unsigned char *next = bytes;

    while (size > 0) {
        const ssize_t got = pread(fd, next, size, at);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got == 0 ? -EIO : -errno;
        next += got;
        at += got;
        size -= (size_t)got;
    }
    return 0;
}
