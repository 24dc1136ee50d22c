/* SPDX-License-Identifier: BSD-3-Clause */
/* Which ranks thieves ask, compared with the formula of the victim selection paper. */
#include "tests/lib/chance.h"

#include "libjuggle/steal/protocol/victims.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { DRAWS = 1000000 };

/* Ranks on nodes, in blocks or round-robin. */
struct map {
    struct places places;
    int32_t *node, *first, *member;
};

static void map_open(struct map *map, int nodes, int ranks_per_node, bool in_turns)
{
    int ranks = nodes * ranks_per_node;

    map->node = calloc((size_t)ranks, sizeof(int32_t));
    map->first = calloc((size_t)nodes + 1, sizeof(int32_t));
    map->member = calloc((size_t)ranks, sizeof(int32_t));
    for (int rank = 0; rank < ranks; rank++)
        map->node[rank] = in_turns ? rank % nodes : rank / ranks_per_node;
    places_group(map->node, ranks, nodes, map->first, map->member);
    map->places = (struct places){.ranks = ranks,
                                  .nodes = nodes,
                                  .node = map->node,
                                  .first = map->first,
                                  .member = map->member,
                                  .distance = distance_in_torus,
                                  .dimensions = 2,
                                  .extent = {4, (nodes + 3) / 4}};
}

static void map_close(struct map *map)
{
    free(map->node);
    free(map->first);
    free(map->member);
}

static void *victims_open(struct victims *victims, struct steal_properties properties, int self,
                          const struct places *places)
{
    void *memory = malloc(victims_memory_size(&properties, places) + 1);

    victims_init(victims, &properties, self, places, memory);
    return memory;
}

/* ---- skewed -------------------------------------------------------------------------------- */

static double weight(const struct places *places, int from, int to, double exponent)
{
    double distance = places->distance(places, from, to);

    return distance > 0 ? pow(distance, -exponent) : 1;
}

static double chi_square(const struct places *places, int self, double exponent, const int *drawn)
{
    double sum = 0, chi = 0;

    for (int rank = 0; rank < places->ranks; rank++)
        sum += rank == self ? 0 : weight(places, self, rank, exponent);
    for (int rank = 0; rank < places->ranks; rank++) {
        double expected = DRAWS * weight(places, self, rank, exponent) / sum;

        if (rank != self)
            chi += (drawn[rank] - expected) * (drawn[rank] - expected) / expected;
    }
    return chi;
}

static void expect_distribution(const struct places *places, int self, double exponent)
{
    const struct steal_properties properties = {
        .victim = STEAL_VICTIM_SKEWED, .exponent = exponent, .seed = 11};
    struct victims victims;
    void *memory = victims_open(&victims, properties, self, places);
    int *drawn = calloc((size_t)places->ranks, sizeof(int));
    double freedom = places->ranks - 2;

    for (int i = 0; i < DRAWS; i++)
        drawn[victims_next(&victims)]++;
    ck_assert_int_eq(drawn[self], 0);
    ck_assert_double_lt(chi_square(places, self, exponent, drawn),
                        freedom + 4 * sqrt(2 * freedom) + 4);
    free(drawn);
    free(memory);
}

START_TEST(nearer_victims_are_likelier_by_the_formula)
{
    static const struct {
        int nodes, ranks_per_node;
    } layouts[] = {{1, 2}, {2, 1}, {1, 8}, {40, 1}, {12, 8}, {30, 3}};
    static const double exponents[] = {0, 0.5, 1, 2};
    struct map map;

    for (size_t i = 0; i < ARRAY_COUNT(layouts); i++) {
        map_open(&map, layouts[i].nodes, layouts[i].ranks_per_node, i % 2);
        for (size_t j = 0; j < ARRAY_COUNT(exponents); j++)
            expect_distribution(&map.places, map.places.ranks / 2, exponents[j]);
        map_close(&map);
    }
}

static void expect_same(const struct places *alone, const struct places *shared, int self)
{
    const struct steal_properties properties = {
        .victim = STEAL_VICTIM_SKEWED, .exponent = 2, .seed = 11};
    struct victims own, other;
    void *own_memory = victims_open(&own, properties, self, alone);
    void *other_memory = victims_open(&other, properties, self, shared);

    for (int i = 0; i < 1000; i++)
        ck_assert_int_eq(victims_next(&own), victims_next(&other));
    free(other_memory);
    free(own_memory);
}

START_TEST(tables_that_a_node_shares_give_the_same_victims)
{
    struct map map;

    map_open(&map, 12, 5, true);
    struct places shared = map.places;
    struct alias *tables = malloc(skewed_tables_size(&map.places));

    skewed_tabulate(&shared, 2, tables);
    for (int self = 0; self < map.places.ranks; self++)
        expect_same(&map.places, &shared, self);
    free(tables);
    map_close(&map);
}

START_TEST(nobody_asks_when_alone)
{
    struct victims victims;
    struct map map;

    map_open(&map, 1, 1, false);
    for (int victim = 0; steal_choice_name(STEAL_CHOICE_VICTIM, victim); victim++) {
        void *memory = victims_open(&victims,
                                    (struct steal_properties){.victim = (enum steal_victim)victim},
                                    0, &map.places);

        ck_assert_int_eq(victims_next(&victims), NO_VICTIM);
        free(memory);
    }
    map_close(&map);
}

START_TEST(memory_goes_by_nodes)
{
    const struct steal_properties properties = {.victim = STEAL_VICTIM_SKEWED, .exponent = 1};
    struct map map;

    map_open(&map, 8192, 8, false);
    ck_assert_uint_lt(victims_memory_size(&properties, &map.places), 1 << 20);
    map_close(&map);
}

/* ---- nearest ------------------------------------------------------------------------------- */

START_TEST(nearest_victims_come_first_and_all_in_the_end)
{
    const struct steal_properties properties = {.victim = STEAL_VICTIM_NEAREST};
    struct victims victims;
    struct map map;
    bool asked[60] = {false};
    int count = 0;

    map_open(&map, 12, 5, true);
    void *memory = victims_open(&victims, properties, 17, &map.places);
    int first = victims_next(&victims);
    ck_assert_int_eq(map.node[first], map.node[17]);
    victims_answered(&victims, first, 0);
    for (int i = 0; i < 200; i++) {
        int victim = victims_next(&victims);

        ck_assert_int_ne(victim, 17);
        count += !asked[victim];
        asked[victim] = true;
        victims_answered(&victims, victim, 0);
    }
    ck_assert_int_eq(count, 59);
    for (int i = 0; i < 6; i++)
        victims_answered(&victims, first, 3);
    ck_assert_int_eq(victims_next(&victims), first);
    free(memory);
    map_close(&map);
}

/* Of two ranks asked within radius 2k, none is farther than the one at place 2k by distance. */
START_TEST(the_radius_grows_with_distance)
{
    const struct steal_properties properties = {.victim = STEAL_VICTIM_NEAREST};
    struct victims victims;
    struct map map;

    map_open(&map, 64, 1, false);
    void *memory = victims_open(&victims, properties, 9, &map.places);
    for (int radius = 1; radius < 64; radius *= 2) {
        int victim = victims_next(&victims), nearer = 0;

        for (int rank = 0; rank < 64; rank++)
            nearer += rank != 9 && map.places.distance(&map.places, 9, rank) <
                                       map.places.distance(&map.places, 9, victim);
        ck_assert_int_lt(nearer, radius);
        victims_answered(&victims, victim, 0);
    }
    free(memory);
    map_close(&map);
}

/* ---- distances ----------------------------------------------------------------------------- */

START_TEST(distances_are_what_their_sources_say)
{
    static const int32_t coordinates[] = {0, 0, 3, 4, -1, -1, 5, 0};
    static const float latency[] = {0, 7, 2, 5, 7, 0, 4, 4};
    static const int32_t landmark[] = {0, -1, 1, -1};
    struct map map;

    map_open(&map, 12, 2, false);
    ck_assert_double_eq(distance_in_torus(&map.places, 0, 2), 1);
    ck_assert_double_eq(distance_in_torus(&map.places, 0, 22), 2); /* around both edges */
    map.places.extent[0] = 3;
    map.places.extent[1] = 2;
    ck_assert_double_eq(distance_in_tree(&map.places, 0, 1), 0);
    ck_assert_double_eq(distance_in_tree(&map.places, 0, 4), 2);
    ck_assert_double_eq(distance_in_tree(&map.places, 0, 6), 4);
    ck_assert_double_eq(distance_in_tree(&map.places, 0, 12), 6);
    map.places.coordinates = coordinates;
    ck_assert_double_eq(distance_by_coordinates(&map.places, 0, 1), 5);
    ck_assert_double_eq(distance_by_cache(&map.places, 0, 1), 4);
    map.places.latency = latency;
    map.places.landmark = landmark;
    ck_assert_double_eq(distance_by_latency(&map.places, 0, 1), 0);
    ck_assert_double_eq(distance_by_latency(&map.places, 0, 4), 7);
    ck_assert_double_eq(distance_by_latency(&map.places, 0, 2), 2);
    ck_assert_double_eq(distance_by_latency(&map.places, 2, 6), (2 + 6) / 2.0);
    map_close(&map);
}

/* The chance of each index, computed from the whole table, is its weight. */
static void draw_from_weights(void)
{
    const int count = (int)between(1, 60);
    struct alias table[60];
    double weights[60], chances[60] = {0}, sum = 0;

    for (int i = 0; i < count; i++)
        sum += table[i].share = weights[i] = ldexp(1 + (double)below(1000), (int)-below(40));
    alias_build(table, count);
    for (int i = 0; i < count; i++) {
        ALWAYS(table[i].share >= 0 && table[i].share <= 1);
        ALWAYS(table[i].other >= 0 && table[i].other < count);
        chances[i] += table[i].share / count;
        chances[table[i].other] += (1 - table[i].share) / count;
    }
    for (int i = 0; i < count; i++)
        ALWAYS(fabs(chances[i] - weights[i] / sum) < 1e-9);
}

START_TEST(chances_are_as_the_weights)
{
    live_with_seeds(5000, draw_from_weights);
}

SUITE("victims")
