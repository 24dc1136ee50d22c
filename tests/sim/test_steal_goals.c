/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the strategies promise on virtual ranks: lifelines send few requests in vain and, if there
 * is work for all of them, finish no later. STRESS=1 in the environment takes the tree T3L, which
 * has enough work, instead of T3.
 */
#include "tests/lib/suite.h"

#include "tests/sim/cluster.h"
#include "tests/sim/published.h"

#include "libjuggle/ground/units.h"

#include <stdio.h>

enum { RANKS_PER_NODE = 8, RANKS = 1024 };

/* Numbers of inner nodes. */
enum { T3_INNER = 513863, T3L_INNER = 22268727 };

static int32_t node[RANKS], first[RANKS + 1], member[RANKS];

/* Blocks of ranks on nodes: 8G in the victim selection paper. */
static struct places block_places(void)
{
    for (int rank = 0; rank < RANKS; rank++)
        node[rank] = rank / RANKS_PER_NODE;
    places_group(node, RANKS, RANKS / RANKS_PER_NODE, first, member);
    return (struct places){.ranks = RANKS,
                           .nodes = RANKS / RANKS_PER_NODE,
                           .node = node,
                           .first = first,
                           .member = member,
                           .distance = distance_by_node};
}

static struct cluster_result run(const struct cluster_settings *settings, const char *name)
{
    struct cluster_result result;
    const char *wrong = cluster_run(settings, &result);
    double work_ns = (double)forest.nodes * (double)settings->task_ns;

    ck_assert_msg(!wrong, "%s: %s", name, wrong);
    printf("%-12s %5d ranks: %9.3f ms, efficiency %.3f, %ld of %ld requests in vain, %ld deals, "
           "%ld messages\n",
           name, settings->ranks, (double)result.elapsed_ns / (double)NSEC_PER_MSEC,
           work_ns / (double)settings->ranks / (double)result.elapsed_ns,
           (long)(result.attempted - result.successful), (long)result.attempted, (long)result.deals,
           (long)result.messages);
    return result;
}

/* Latency is 2 us within a node, 100 us across. */
START_TEST(lifelines_ask_a_tenth_in_vain_and_finish_no_later)
{
    const struct places places = block_places();
    struct cluster_settings settings = {.ranks = RANKS,
                                        .seed = 1,
                                        .latency_ns = 2 * NSEC_PER_USEC,
                                        .hop_ns = 98 * NSEC_PER_USEC / 16,
                                        .places = &places,
                                        .task_ns = 8 * NSEC_PER_USEC,
                                        .rounds = 1};

    forest_grow_published(stress() ? "T3L" : "T3", (stress() ? T3L_INNER : T3_INNER) + 1);
    struct cluster_result uniform = run(&settings, "uniform");
    settings.properties.lifelines = 10;
    settings.properties.tries = 1;
    settings.properties.termination = STEAL_TERMINATION_FINISH;
    struct cluster_result lifelines = run(&settings, "lifelines");
    ck_assert_int_le(10 * (lifelines.attempted - lifelines.successful),
                     uniform.attempted - uniform.successful);
    if (stress())
        ck_assert_int_le(lifelines.elapsed_ns, uniform.elapsed_ns);
}

SUITE("steal goals")
