/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/command/not_run.h"

#include "juggle/command/find.h"
#include "juggle/command/program.h"
#include "cli/options.h"
#include "libjuggle/ground/units.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static bool is_number(const char *word)
{
    return *word && strspn(word, "0123456789") == strlen(word);
}

/* True for NAME=VALUE. As in a shell, the "=" must come before any slash. */
static bool is_assignment(const char *word)
{
    return word[strcspn(word, "=/")] == '=';
}

static bool is_of_the_shell(const char *word)
{
    static const char *const words[] = {".",      "alias", "cd",     "eval",   "exec",  "export",
                                        "module", "set",   "source", "ulimit", "umask", "unset"};

    for (size_t i = 0; i < ARRAY_COUNT(words); i++)
        if (!strcmp(word, words[i]))
            return true;
    return false;
}

static const char *hint_at_permission(const char *command)
{
    char path[PATH_MAX];
    struct stat status;
    struct statvfs system;

    if (!program_find(command, F_OK, path) || stat(path, &status) || statvfs(path, &system))
        return "";
    if (S_ISDIR(status.st_mode))
        return "; it is a folder";
    if (!(status.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)))
        return "; it is not executable: chmod +x makes it so, or name its interpreter before it";
    return system.f_flag & ST_NOEXEC ? "; its file system is mounted with noexec" : "";
}

enum { HINT_SIZE = 96 };

/* Returns a hint, or "". A command that is a number was probably meant for the option before it.
 * `text` is room for the hint. */
static const char *hint(const char *command, int error, char text[HINT_SIZE])
{
    char path[PATH_MAX];

    if (error == -ENOENT && program_find(command, F_OK, path))
        return "; it is there, but not the interpreter that it names";
    if (error == -EACCES)
        return hint_at_permission(command);
    if (error != -ENOENT)
        return "";
    if (is_number(command)) {
        snprintf(text, HINT_SIZE, "; a number of threads is given by -n %.9s or --fit=%.9s",
                 command, command);
        return text;
    }
    if (strpbrk(command, " \t|&;<>"))
        return "; it was given as one word: leave the quotes out, or use sh -c";
    if (is_of_the_shell(command))
        return "; it is a command of the shell itself: use bash -c";
    if (is_assignment(command))
        return "; variables stand before juggle, or behind env";
    return "";
}

int not_run_expect(const char *command)
{
    char path[PATH_MAX];

    if (program_find(command, X_OK, path))
        return 0;
    if (strchr(command, '/'))
        return access(command, F_OK) < 0 ? -errno : -EACCES;
    return program_find(command, F_OK, path) ? -EACCES : -ENOENT;
}

int not_run_tell(const char *command, int error)
{
    char path[PATH_MAX], text[HINT_SIZE];

    /* If a directory of PATH may not be searched, execvp returns EACCES even for a command that
     * is in none of them. */
    if (error == -EACCES && !strchr(command, '/') && !program_find(command, F_OK, path))
        error = -ENOENT;
    complain("juggle", "cannot run '%s': %s%s", command, strerror(-error),
             hint(command, error, text));
    return error == -ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}
