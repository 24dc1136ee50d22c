/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/command/not_run.h"

#include "juggle/command/program.h"
#include "cli/options.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool file_is(const char *file, int mode)
{
    struct stat status;

    return access(file, mode) == 0 && stat(file, &status) == 0 &&
           (mode == F_OK || S_ISREG(status.st_mode));
}

/* In a directory of PATH, where an empty one is this one; without PATH where execvp looks then. */
static bool is_in_path(const char *name, int mode)
{
    const char *path = getenv("PATH");
    char file[PATH_MAX];

    if (!path)
        path = "/bin:/usr/bin";
    for (;;) {
        const int length = (int)strcspn(path, ":");
        if (snprintf(file, sizeof(file), "%.*s/%s", length ? length : 1, length ? path : ".",
                     name) < PATH_MAX &&
            file_is(file, mode))
            return true;
        if (!path[length])
            return false;
        path += length + 1;
    }
}

static bool is_number(const char *word)
{
    return *word && strspn(word, "0123456789") == strlen(word);
}

/* Before any slash, as a shell would take it. */
static bool is_assignment(const char *word)
{
    return word[strcspn(word, "=/")] == '=';
}

static const char *hint(const char *command, int error)
{
    if (error == -ENOENT && strchr(command, '/') && access(command, F_OK) == 0)
        return "; it is there, but not the interpreter that it names";
    if (error != -ENOENT)
        return "";
    if (is_number(command))
        return "; the number of threads is given by -n";
    if (strpbrk(command, " \t|&;<>"))
        return "; it was given as one word: leave the quotes out, or use sh -c";
    if (is_assignment(command))
        return "; variables stand before juggle, or behind env";
    return "";
}

int not_run_expect(const char *command)
{
    const bool has_place = strchr(command, '/');

    if (has_place ? file_is(command, X_OK) : *command && is_in_path(command, X_OK))
        return 0;
    if (has_place)
        return access(command, F_OK) < 0 ? -errno : -EACCES;
    return *command && is_in_path(command, F_OK) ? -EACCES : -ENOENT;
}

int not_run_tell(const char *command, int error)
{
    /* Where a directory of PATH may not be searched, execvp says that of the command, wherever that
     * would be. */
    if (error == -EACCES && !strchr(command, '/') && !is_in_path(command, F_OK))
        error = -ENOENT;
    complain("juggle", "cannot run '%s': %s%s", command, strerror(-error), hint(command, error));
    return error == -ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}
