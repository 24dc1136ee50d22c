/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/prepare/policies.h"

#include "libjuggle/ground/units.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define PASSIVE "OMP_WAIT_POLICY", "passive"
#define ACTIVE  "OMP_WAIT_POLICY", "active"
#define YIELDS  "OMPI_MCA_mpi_yield_when_idle"

/* How waiting threads behave if the variable has the value. The first entry that fits holds. */
static const struct wait_policy {
    enum runtime runtime;
    const char *variable; /* NULL: fits whatever is set */
    const char *value;    /* NULL: any value */
    const char *words;
    bool spins;         /* it spins for longer than a turn of another thread takes */
    const char *remedy; /* NULL: the runtime's remedy in `table` */
} policies[] = {
    /* GOMP_SPINCOUNT is a number of spins. GNU's runtime spins 300,000 times by default, and
     * 1,000 times when there are more threads than processors. */
    {RUNTIME_GOMP, "GOMP_SPINCOUNT", "0", "sleep at once", false, NULL},
    {RUNTIME_GOMP, "GOMP_SPINCOUNT", NULL, "spin as often as that says, then sleep", true, NULL},
    {RUNTIME_GOMP, PASSIVE, "sleep at once", false, NULL},
    {RUNTIME_GOMP, ACTIVE, "spin for minutes", true, NULL},
    {RUNTIME_GOMP, NULL, NULL,
     "spin for up to some milliseconds, microseconds where it sees more threads than processors, "
     "then sleep",
     false, NULL},
    {RUNTIME_LIBOMP, "KMP_BLOCKTIME", "0", "sleep at once", false, NULL},
    {RUNTIME_LIBOMP, "KMP_BLOCKTIME", "infinite", "spin without end", true, NULL},
    {RUNTIME_LIBOMP, "KMP_BLOCKTIME", NULL, "spin as long as that says (ms), then sleep", true,
     NULL},
    {RUNTIME_LIBOMP, PASSIVE, "sleep at once", false, NULL},
    {RUNTIME_LIBOMP, ACTIVE, "spin without end", true, NULL},
    {RUNTIME_LIBOMP, NULL, NULL, "yield and spin for 200 ms, then sleep", true, NULL},
    {RUNTIME_OPENMPI, YIELDS, "1", "yield", false, NULL},
    {RUNTIME_OPENMPI, YIELDS, "true", "yield", false, NULL},
    {RUNTIME_OPENMPI, YIELDS, NULL, "spin without end", true, "set it to 1"},
    {RUNTIME_OPENMPI, NULL, NULL,
     "spin without end, and yield where mpirun knows of fewer slots than ranks", true, NULL},
    {RUNTIME_MPICH, NULL, NULL, "spin without end", true, NULL},
};

static const struct {
    const char *name;
    const char *who;
    const char *remedy;
} table[RUNTIMES_COUNT] = {
    [RUNTIME_GOMP] = {"GNU OpenMP", "threads", "unset it, or --waiting environment has them sleep"},
    [RUNTIME_LIBOMP] = {"LLVM OpenMP", "threads",
                        "KMP_BLOCKTIME=0, or --waiting environment, has them sleep"},
    [RUNTIME_OPENMPI] = {"Open MPI", "ranks",
                         "juggle has them yield and sleep by itself; without it, set "
                         "OMPI_MCA_mpi_yield_when_idle=1"},
    [RUNTIME_MPICH] = {"MPICH", "ranks",
                       "juggle has them yield and sleep by itself; without it, start no more "
                       "ranks than processors"},
};

const char *runtime_name(enum runtime runtime)
{
    return table[runtime].name;
}

static bool fits(const struct wait_policy *policy, const char *set)
{
    return !policy->variable || (set && (!policy->value || !strcasecmp(set, policy->value)));
}

void policy_describe(enum runtime runtime, bool shared, crowd_variable *variable,
                     char text[POLICY_TEXT_SIZE])
{
    const struct wait_policy *policy = policies;
    const char *set = NULL;

    /* The last entry of each runtime fits in any case. */
    for (;; policy++) {
        set = policy->variable ? variable(policy->variable) : NULL;
        if (policy->runtime == runtime && fits(policy, set))
            break;
    }
    const bool remedied = policy->spins && shared;
    if (policy->variable)
        snprintf(text, POLICY_TEXT_SIZE, "%s that wait %s (%s=%.40s)%s", table[runtime].who,
                 policy->words, policy->variable, set, remedied ? ": " : "");
    else
        snprintf(text, POLICY_TEXT_SIZE, "by default %s that wait %s%s", table[runtime].who,
                 policy->words, remedied ? ": " : "");
    if (remedied)
        snprintf(text + strlen(text), POLICY_TEXT_SIZE - strlen(text), "%s",
                 policy->remedy ? policy->remedy : table[runtime].remedy);
}
