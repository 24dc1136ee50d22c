/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/join/launcher.h"

#include "libjuggle/ground/units.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 32, GENERATIONS_MAX = 64 };

/* By which a rank reaches its launcher. If a rank starts another launcher, that one inherits the
 * variables of the rank, but the ranks that it starts have other ones. */
static const char *const variables[] = {"PMI_RANK", "PMI_FD", "PMI_PORT", "PMI_ID"};

static FILE *process_open(pid_t pid, const char *file)
{
    char path[PATH_SIZE];

    snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
    return fopen(path, "re");
}

/* True if `entry`, as in the environment, is "NAME=" and our own value of NAME. */
static bool is_own(const char *entry, const char *name)
{
    const size_t length = strlen(name);
    const char *value = getenv(name);

    return value && !strncmp(entry, name, length) && entry[length] == '=' &&
           !strcmp(entry + length + 1, value);
}

static int own_count(const char *entry)
{
    int count = 0;

    for (size_t i = 0; i < ARRAY_COUNT(variables); i++)
        count += is_own(entry, variables[i]);
    return count;
}

/* True if the process began with all variables that this process has. */
static bool is_of_rank(pid_t pid)
{
    FILE *environment = process_open(pid, "environ");
    char *entry = NULL;
    size_t size = 0;
    int missing = 0;

    if (!environment)
        return false;
    for (size_t i = 0; i < ARRAY_COUNT(variables); i++)
        missing += getenv(variables[i]) != NULL;
    while (missing > 0 && getdelim(&entry, &size, '\0', environment) > 0)
        missing -= own_count(entry);
    free(entry);
    fclose(environment);
    return missing == 0;
}

static pid_t parent_of(pid_t pid)
{
    FILE *status = process_open(pid, "status");
    char *line = NULL;
    size_t size = 0;
    int parent = 0;

    if (!status)
        return 0;
    while (getline(&line, &size, status) > 0 && sscanf(line, "PPid: %d", &parent) != 1)
        ;
    free(line);
    fclose(status);
    return parent;
}

pid_t launcher_find(void)
{
    const pid_t parent = getppid();
    pid_t launcher = parent;

    if (!getenv("PMI_RANK"))
        return parent;
    for (int i = 0; i < GENERATIONS_MAX && launcher > 1 && is_of_rank(launcher); i++)
        launcher = parent_of(launcher);
    return launcher > 0 ? launcher : parent;
}
