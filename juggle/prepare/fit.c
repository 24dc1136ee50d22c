/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/prepare/fit.h"

#include "juggle/prepare/ranks.h"
#include "libjuggle/linux/affinity.h"
#include "libjuggle/linux/nproc.h"
#include "libjuggle/waiting/crowd.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { OTHERS_MAX = 6, VALUE_SIZE = 16 };

/* A variable that a runtime honors, and other variables by which the same runtime takes the
 * number: if one of them is set, the variable is not. OpenBLAS, MKL, BLIS and NumExpr read
 * OMP_NUM_THREADS if their own is not set. oneTBB honors none. */
static const struct variable {
    const char *name;
    const char *others[OTHERS_MAX];
} variables[] = {
    /* The entries that look at OMP_NUM_THREADS come before the entry that sets it. */
    {"OMP_THREAD_LIMIT", {"OMP_NUM_THREADS"}},
    {"OPENBLAS_NUM_THREADS", {"GOTO_NUM_THREADS", "OMP_NUM_THREADS"}},
    {"MKL_NUM_THREADS", {"MKL_DOMAIN_NUM_THREADS", "OMP_NUM_THREADS"}},
    {"BLIS_NUM_THREADS",
     {"OMP_NUM_THREADS", "BLIS_JC_NT", "BLIS_PC_NT", "BLIS_IC_NT", "BLIS_JR_NT", "BLIS_IR_NT"}},
    {"NUMEXPR_NUM_THREADS", {"OMP_NUM_THREADS"}},
    {"OMP_NUM_THREADS", {0}},
    {"VECLIB_MAXIMUM_THREADS", {0}},
    {"RAYON_NUM_THREADS", {"RAYON_RS_NUM_CPUS"}},
    {"GOMAXPROCS", {0}},
};

/* ---- how many ---- */

int fit_share(int own, int node, int ranks)
{
    return ranks > 1 ? (int)clamp_i64(node / ranks, 1, own) : own;
}

void fit_narrow(const struct wish *wish, struct cpu_mask *mask)
{
    struct cpu_mask wanted;

    if (!*wish->cpus || cpu_mask_parse(wish->cpus, &wanted))
        return;
    cpu_mask_intersect(&wanted, mask);
    if (cpu_mask_count(&wanted))
        *mask = wanted;
}

/* Returns how many threads are of use within the affinity mask of `pid` and the processors that
 * the user has named; 0 if that cannot be read. */
static int count_within(const struct wish *wish, pid_t pid)
{
    struct cpu_mask mask;
    struct nproc *nproc; /* 32 KB */
    int count;

    if (affinity_get(pid, &mask))
        return 0;
    fit_narrow(wish, &mask);
    nproc = malloc(sizeof(*nproc));
    if (!nproc)
        return 0;
    nproc_read_within(&mask, false, false, nproc);
    count = nproc->count;
    free(nproc);
    return count;
}

/* A rank that its launcher has bound has a mask of its own, but shares the quota. The number for
 * all ranks of the node is read from the launcher, whose mask is as wide as the job's share of
 * the node. */
static int count_of_rank(const struct settings *settings, int own, int ranks)
{
    const int node = settings->fit > 0 ? own : count_within(&settings->wish, ranks_starter());

    return fit_share(own, node ? node : own, ranks);
}

/* Returns how many threads fit into each process of the command. */
static int fit_threads(const struct settings *settings, char *const *command)
{
    const int counted = settings->fit > 0 ? settings->fit : count_within(&settings->wish, 0);
    const int own = counted ? counted : 1;
    const int started = ranks_of_command(command);

    return started ? fit_share(own, own, started)
                   : count_of_rank(settings, own, crowd_processes(getenv));
}

/* ---- telling ---- */

static bool is_told(const struct variable *variable)
{
    bool told = getenv(variable->name) != NULL;

    for (int i = 0; i < OTHERS_MAX && variable->others[i]; i++)
        told = told || getenv(variable->others[i]);
    return told;
}

void fit_apply(const struct settings *settings, char *const *command, char text[FIT_TEXT_SIZE])
{
    char value[VALUE_SIZE];
    int length = 0;

    snprintf(text, FIT_TEXT_SIZE, "none");
    if (settings->fit == FIT_NONE)
        return;
    snprintf(value, sizeof(value), "%d", fit_threads(settings, command));
    for (size_t i = 0; i < ARRAY_COUNT(variables); i++) {
        if (is_told(&variables[i]))
            continue;
        setenv(variables[i].name, value, 1);
        length += snprintf(text + length, FIT_TEXT_SIZE - (size_t)length, "%s%s=%s",
                           length ? " " : "", variables[i].name, value);
    }
}
