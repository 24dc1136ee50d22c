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
#include <unistd.h>

/* In a directory of PATH. Where one of them may not be searched, execvp says that of the command,
 * wherever that would be. */
static bool is_in_path(const char *name)
{
    const char *path = getenv("PATH");
    char file[PATH_MAX];

    while (path && *path) {
        const int length = (int)strcspn(path, ":");
        if (snprintf(file, sizeof(file), "%.*s/%s", length, path, name) < PATH_MAX &&
            access(file, F_OK) == 0)
            return true;
        path += length;
        path += *path == ':';
    }
    return false;
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

int not_run_tell(const char *command, int error)
{
    if (error == -EACCES && !strchr(command, '/') && !is_in_path(command))
        error = -ENOENT;
    complain("juggle", "cannot run '%s': %s%s", command, strerror(-error), hint(command, error));
    return error == -ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}
