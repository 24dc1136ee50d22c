/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/prepare/waiting.h"

#include "juggle/prepare/which_mpi.h"
#include "libjuggle/linux/cpu_mask.h"
#include "libjuggle/waiting/crowd.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VARIABLES_MAX = 8, TEXT_SIZE = 2 * PATH_MAX };

struct variable {
    const char *name;
    char value[PATH_MAX];
};

struct waiting {
    struct page *page;
    int count;
    struct variable variables[VARIABLES_MAX];
    char text[TEXT_SIZE];
};

/* Returns NULL if there are too many. */
static struct variable *variable_new(struct waiting *waiting, const char *name)
{
    if (waiting->count == VARIABLES_MAX)
        return NULL;
    struct variable *variable = &waiting->variables[waiting->count++];
    variable->name = name;
    return variable;
}

static void variable_add(struct waiting *waiting, const char *name, const char *value)
{
    struct variable *variable = getenv(name) ? NULL : variable_new(waiting, name);

    if (variable)
        snprintf(variable->value, sizeof(variable->value), "%s", value);
}

/* ---- what pays ---- */

/* The processors that the program's threads will share. */
static int processors_of(const struct wish *wish)
{
    struct cpu_mask mask;

    if (*wish->cpus && !cpu_mask_parse(wish->cpus, &mask))
        return cpu_mask_count(&mask);
    return crowd_processors();
}

/* True if threads will share processors, as far as that can be known before they exist. */
static bool is_shared(const struct wish *wish, int processors_count)
{
    if (wish->threads > 0)
        return wish->threads > processors_count;
    return crowd_oversubscribes(getenv, processors_count);
}

/* True also if the number of threads is not known, because only the program may know the number
 * of its ranks. */
static bool may_be_shared(const struct wish *wish, int processors_count)
{
    return wish->threads == 0 || is_shared(wish, processors_count);
}

/* ---- variables of the runtimes ---- */

static void add_runtimes(struct waiting *waiting, enum waiting_means means, enum mpi_kind mpi,
                         bool shared)
{
    const bool asked = means == WAITING_ENVIRONMENT;

    /* Open MPI yields by itself if mpirun sees that there are fewer slots than ranks, which it
     * does not always see. */
    if (mpi == MPI_OPENMPI && (asked || shared))
        variable_add(waiting, "OMPI_MCA_mpi_yield_when_idle", "1");
    /* Only if asked for, because it harms programs with short phases: a thread that sleeps comes
     * late. */
    if (asked && !getenv("GOMP_SPINCOUNT") && !getenv("KMP_BLOCKTIME"))
        variable_add(waiting, "OMP_WAIT_POLICY", "passive");
}

/* ---- objects ---- */

/* Finds an object to load: in ../lib beside the running juggle, as in the tree where it was
 * built, or where objects are installed. False also if the path has a character that the loader
 * takes for a separator. */
static bool object_find(const char *built, const char *installed, char path[PATH_MAX])
{
    char self[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

    if (length > 0) {
        self[length] = '\0';
        *strrchr(self, '/') = '\0';
        if (snprintf(path, PATH_MAX, "%s/../lib/%s", self, built) < PATH_MAX && !access(path, R_OK))
            return !strpbrk(path, " :");
    }
    return snprintf(path, PATH_MAX, "%s/juggle/%s", JUGGLE_LIBDIR, installed) < PATH_MAX &&
           !access(path, R_OK) && !strpbrk(path, " :");
}

static struct variable *variable_find(struct waiting *waiting, const char *name)
{
    for (int i = 0; i < waiting->count; i++)
        if (!strcmp(waiting->variables[i].name, name))
            return &waiting->variables[i];
    return NULL;
}

/* Appends an item to a list that is separated by colons, behind the items that the user has put
 * there. */
static void variable_append(struct waiting *waiting, const char *name, const char *item)
{
    struct variable *variable = variable_find(waiting, name);
    const char *before = variable ? variable->value : getenv(name);
    char value[PATH_MAX];

    if (!before || !*before)
        snprintf(value, sizeof(value), "%s", item);
    else if (strstr(before, item) ||
             snprintf(value, sizeof(value), "%s:%s", before, item) >= PATH_MAX)
        return;
    if (!variable)
        variable = variable_new(waiting, name);
    if (variable)
        memcpy(variable->value, value, sizeof(value));
}

/* AddressSanitizer ends a program into which anything is loaded before it, unless it is told not
 * to check that. */
static void add_preload(struct waiting *waiting, const char *object)
{
    variable_append(waiting, "LD_PRELOAD", object);
    variable_append(waiting, "ASAN_OPTIONS", "verify_asan_link_order=0");
}

static void add_mpi(struct waiting *waiting, enum mpi_kind mpi)
{
    char name[64], path[PATH_MAX];

    snprintf(name, sizeof(name), "%s/libjuggle-waiting.so", mpi_kind_name(mpi));
    if (object_find(name, name, path))
        add_preload(waiting, path);
}

/* The object does nothing until threads are seen to spin. */
static void add_spinning(struct waiting *waiting)
{
    char path[PATH_MAX];

    if (waiting->page && object_find("libjuggle-spinning.so", "libjuggle-spinning.so", path))
        add_preload(waiting, path);
}

static void add_openmp(struct waiting *waiting, unsigned asked)
{
    const char *tools = getenv("OMP_TOOL");
    char path[PATH_MAX];

    if (!asked || !waiting->page || (tools && !strcmp(tools, "disabled")) ||
        !object_find("libjuggle-ompt.so", "libjuggle-ompt.so", path))
        return;
    page_ask(waiting->page, asked);
    variable_add(waiting, "OMP_TOOL_LIBRARIES", path);
}

static int add_page(struct waiting *waiting, int processors_count)
{
    char path[PAGE_PATH_SIZE];
    int error = page_create(processors_count, &waiting->page);

    if (error)
        return error;
    page_path(waiting->page, path);
    /* Overwrites the variable of an outer juggle, which does not balance this program. */
    unsetenv(PAGE_VARIABLE);
    variable_add(waiting, PAGE_VARIABLE, path);
    return 0;
}

/* ---- all together ---- */

static void text_write(struct waiting *waiting)
{
    int length = 0;

    for (int i = 0; i < waiting->count && length < TEXT_SIZE; i++)
        if (strcmp(waiting->variables[i].name, PAGE_VARIABLE) != 0)
            length += snprintf(waiting->text + length, TEXT_SIZE - (size_t)length, "%s%s=%s",
                               length ? " " : "", waiting->variables[i].name,
                               waiting->variables[i].value);
    if (length == 0)
        snprintf(waiting->text, TEXT_SIZE, "none");
}

static void add_all(struct waiting *waiting, const struct settings *settings, char *const *command,
                    int processors_count)
{
    const struct wish *wish = &settings->wish;
    const bool forced = settings->waiting == WAITING_PRELOAD;
    const bool shared = forced || is_shared(wish, processors_count);
    const enum mpi_kind mpi = which_mpi(command);

    add_runtimes(waiting, settings->waiting, mpi, shared);
    if (settings->waiting == WAITING_ENVIRONMENT)
        return;
    if (mpi != MPI_NONE && (forced || may_be_shared(wish, processors_count)))
        add_mpi(waiting, mpi);
    const bool serves = wish->spin == SPIN_AUTO && wish->policy != POLICY_NONE;
    if (serves)
        add_spinning(waiting);
    /* Reports of barriers are only asked for by --waiting preload: they have not been seen to
     * help yet, and their cost harms programs with short phases. */
    add_openmp(waiting, (forced ? PAGE_ASKS_BARRIERS : 0u) | (serves ? PAGE_ASKS_PATIENCE : 0u));
}

int waiting_create(const struct settings *settings, char *const *command, bool listens,
                   struct waiting **result)
{
    struct waiting *waiting = calloc(1, sizeof(*waiting));

    if (!waiting)
        return -ENOMEM;
    if (settings->waiting != WAITING_NONE) {
        const int processors_count = processors_of(&settings->wish);
        /* If there is no page, for example because of a limit of open files, threads do not
         * report their waits, but the program can run. */
        if (listens)
            (void)!add_page(waiting, processors_count);
        add_all(waiting, settings, command, processors_count);
    }
    text_write(waiting);
    *result = waiting;
    return 0;
}

void waiting_destroy(struct waiting *waiting)
{
    if (!waiting)
        return;
    page_destroy(waiting->page);
    free(waiting);
}

struct waiting *waiting_tell(const struct settings *settings, char *const *command, bool listens)
{
    struct waiting *waiting;

    if (waiting_create(settings, command, listens, &waiting))
        return NULL;
    for (int i = 0; i < waiting->count; i++)
        setenv(waiting->variables[i].name, waiting->variables[i].value, 1);
    return waiting;
}

struct page *waiting_page(const struct waiting *waiting)
{
    return waiting->page;
}

const char *waiting_text(const struct waiting *waiting)
{
    return waiting->text;
}
