/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/telling/policies.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* What threads do that wait, and which variable says so; NULL: none does. */
struct wait_policy {
    const char *words;
    const char *by;
    bool spins;         /* for longer than a turn of another thread would take */
    const char *remedy; /* NULL: that of the runtime */
};

static bool is(const char *text, const char *word)
{
    return text && !strcasecmp(text, word);
}

/* Spins count in both: GNU's runtime spins 300,000 times by default, and 1,000 times once there
 * are more threads than processors. */
static struct wait_policy gomp(const struct runtimes *runtimes)
{
    const char *count = runtimes->variable("GOMP_SPINCOUNT");
    const char *policy = runtimes->variable("OMP_WAIT_POLICY");

    if (count && !strcmp(count, "0"))
        return (struct wait_policy){"sleep at once", "GOMP_SPINCOUNT", false, NULL};
    if (count)
        return (struct wait_policy){"spin as often as that says, then sleep", "GOMP_SPINCOUNT",
                                    true, NULL};
    if (is(policy, "passive"))
        return (struct wait_policy){"sleep at once", "OMP_WAIT_POLICY", false, NULL};
    if (is(policy, "active"))
        return (struct wait_policy){"spin for minutes", "OMP_WAIT_POLICY", true, NULL};
    return (struct wait_policy){"spin for up to some milliseconds, microseconds where it sees more "
                                "threads than processors, then sleep",
                                NULL, false, NULL};
}

static struct wait_policy libomp(const struct runtimes *runtimes)
{
    const char *time = runtimes->variable("KMP_BLOCKTIME");
    const char *policy = runtimes->variable("OMP_WAIT_POLICY");

    if (time && !strcmp(time, "0"))
        return (struct wait_policy){"sleep at once", "KMP_BLOCKTIME", false, NULL};
    if (is(time, "infinite"))
        return (struct wait_policy){"spin without end", "KMP_BLOCKTIME", true, NULL};
    if (time)
        return (struct wait_policy){"spin as long as that says (ms), then sleep", "KMP_BLOCKTIME",
                                    true, NULL};
    if (is(policy, "passive"))
        return (struct wait_policy){"sleep at once", "OMP_WAIT_POLICY", false, NULL};
    if (is(policy, "active"))
        return (struct wait_policy){"spin without end", "OMP_WAIT_POLICY", true, NULL};
    return (struct wait_policy){"yield and spin for 200 ms, then sleep", NULL, true, NULL};
}

static struct wait_policy openmpi(const struct runtimes *runtimes)
{
    const char *yields = runtimes->variable("OMPI_MCA_mpi_yield_when_idle");

    if (yields && (!strcmp(yields, "1") || is(yields, "true")))
        return (struct wait_policy){"yield", "OMPI_MCA_mpi_yield_when_idle", false, NULL};
    if (yields)
        return (struct wait_policy){"spin without end", "OMPI_MCA_mpi_yield_when_idle", true,
                                    "set it to 1"};
    return (struct wait_policy){
        "spin without end, and yield where mpirun knows of fewer slots than "
        "ranks",
        NULL, true, NULL};
}

static struct wait_policy mpich(const struct runtimes *runtimes)
{
    (void)runtimes;
    return (struct wait_policy){"spin without end", NULL, true, NULL};
}

static const struct {
    const char *name;
    const char *who;
    struct wait_policy (*policy)(const struct runtimes *runtimes);
    const char *remedy;
} table[RUNTIMES_COUNT] = {
    [RUNTIME_GOMP] = {"GNU OpenMP", "threads", gomp,
                      "unset it, or --waiting environment has them sleep"},
    [RUNTIME_LIBOMP] = {"LLVM OpenMP", "threads", libomp,
                        "KMP_BLOCKTIME=0, or --waiting environment, has them sleep"},
    [RUNTIME_OPENMPI] = {"Open MPI", "ranks", openmpi,
                         "juggle has them yield and sleep by itself; without it, set "
                         "OMPI_MCA_mpi_yield_when_idle=1"},
    [RUNTIME_MPICH] = {"MPICH", "ranks", mpich,
                       "juggle has them yield and sleep by itself; without it, start no more "
                       "ranks than processors"},
};

const char *runtime_name(enum runtime runtime)
{
    return table[runtime].name;
}

void policy_describe(const struct runtimes *runtimes, enum runtime runtime,
                     char text[POLICY_TEXT_SIZE])
{
    const struct wait_policy policy = table[runtime].policy(runtimes);
    const bool remedied = policy.spins && runtimes->shared;
    const char *value = policy.by ? runtimes->variable(policy.by) : "";

    if (policy.by)
        snprintf(text, POLICY_TEXT_SIZE, "%s that wait %s (%s=%.40s)%s", table[runtime].who,
                 policy.words, policy.by, value, remedied ? ": " : "");
    else
        snprintf(text, POLICY_TEXT_SIZE, "by default %s that wait %s%s", table[runtime].who,
                 policy.words, remedied ? ": " : "");
    if (remedied)
        snprintf(text + strlen(text), POLICY_TEXT_SIZE - strlen(text), "%s",
                 policy.remedy ? policy.remedy : table[runtime].remedy);
}
