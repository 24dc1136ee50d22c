/* SPDX-License-Identifier: BSD-3-Clause */
/* Adapts uts to a simulated MPI (SimGrid's SMPI), by functions that the linker puts between program
 * and library with --wrap: the clock is that of the simulation, and visiting a node takes
 * $UTS_VISIT_NS instead of the time of its hashes on this machine. */
#include "libjuggle/join/join.h"
#include "libjuggle/steal/runtime/stopwatch.h"
#include "tools/uts/expander.h"

#include <smpi/mpi.h>
#include <smpi/smpi.h>
#include <stdlib.h>
#include <time.h>

int smpi_clock_gettime(clockid_t clock, struct timespec *now);
int __real_expander_expand(struct expander *expander, const struct node *nodes, int count,
                           struct node_sink *sink);
int __wrap_expander_expand(struct expander *expander, const struct node *nodes, int count,
                           struct node_sink *sink);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_nanosleep(const struct timespec *span, struct timespec *left);
void __real_stopwatch_open(struct stopwatch *watch, struct transport *transport);
void __wrap_stopwatch_open(struct stopwatch *watch, struct transport *transport);
int __real_MPI_Test(MPI_Request *request, int *flag, MPI_Status *status);
int __wrap_MPI_Test(MPI_Request *request, int *flag, MPI_Status *status);
int __wrap_join_begin(const struct join_request *request, char *problem,
                      struct juggle_membership **membership);
void __wrap_join_end(struct juggle_membership *membership);

static double visit_seconds(void)
{
    const char *text = getenv("UTS_VISIT_NS");

    return (text ? strtod(text, NULL) : 0) / (double)NSEC_PER_SEC;
}

int __wrap_expander_expand(struct expander *expander, const struct node *nodes, int count,
                           struct node_sink *sink)
{
    const int64_t before = expander_census(expander).nodes;
    const int result = __real_expander_expand(expander, nodes, count, sink);

    smpi_execute((double)(expander_census(expander).nodes - before) * visit_seconds());
    return result;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
    return smpi_clock_gettime(clock, now);
}

int __wrap_nanosleep(const struct timespec *span, struct timespec *left)
{
    (void)left;
    smpi_execute((double)span->tv_sec + (double)span->tv_nsec / (double)NSEC_PER_SEC);
    return 0;
}

/* Switches off processor ticks as a clock, because they are those of the host. */
void __wrap_stopwatch_open(struct stopwatch *watch, struct transport *transport)
{
    __real_stopwatch_open(watch, transport);
    watch->suitable = false;
}

/* SMPI leaves the flag as it is if there is no request and no status is wanted; by the standard,
 * such a test is true. */
int __wrap_MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    if (*request != MPI_REQUEST_NULL)
        return __real_MPI_Test(request, flag, status);
    *flag = 1;
    return MPI_SUCCESS;
}

/* Joins nothing, because there is no node to be balanced. */
int __wrap_join_begin(const struct join_request *request, char *problem,
                      struct juggle_membership **membership)
{
    (void)request, (void)problem;
    *membership = NULL;
    return 0;
}

void __wrap_join_end(struct juggle_membership *membership)
{
    (void)membership;
}
