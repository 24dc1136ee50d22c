/* SPDX-License-Identifier: BSD-3-Clause */
/* Victims by distance: skewed and nearest. */
#include "libjuggle/steal/protocol/victims.h"

#include <math.h>

/* Number of other ranks on the own node. */
static int neighbors(const struct victims *victims)
{
    return places_members(victims->places, victims->places->node[victims->self]) - 1;
}

/* The rank with that index among them; the order starts at the rank after itself. */
static int neighbor(const struct victims *victims, int index)
{
    const struct places *places = victims->places;
    const int node = places->node[victims->self];

    return places
        ->member[places->first[node] + (victims->seat + 1 + index) % places_members(places, node)];
}

static void take_seat(struct victims *victims)
{
    const struct places *places = victims->places;
    const int32_t *member = &places->member[places->first[places->node[victims->self]]];

    victims->seat = 0;
    while (member[victims->seat] != victims->self)
        victims->seat++;
}

/* ---- skewed: at random, the nearer the likelier --------------------------------------------- */

/* The node with that index among the other nodes. */
static int other_node(const struct victims *victims, int index)
{
    return index < victims->places->node[victims->self] ? index : index + 1;
}

/* Weight by section 4 of the victim selection paper, with an exponent. */
static double weight_of(const struct victims *victims, int other)
{
    double distance = victims->places->distance(victims->places, victims->self, other);

    return distance > 0 ? pow(distance, -victims->exponent) : 1;
}

/* The greatest number of choices that any rank has. */
static size_t choices_most(const struct places *places)
{
    int most = 0;

    for (int node = 0; node < places->nodes; node++)
        most = (int)max_i64(most, places_members(places, node));
    return (size_t)(places->nodes + most);
}

static size_t skewed_memory_size(const struct places *places)
{
    return places->skewed ? 0 : choices_most(places) * sizeof(struct alias);
}

static void tabulate(const struct victims *victims, struct alias *table)
{
    const struct places *places = victims->places;
    int near = neighbors(victims);

    for (int i = 0; i < victims->choices; i++) {
        int node = i < near ? 0 : other_node(victims, i - near);
        int other = i < near ? neighbor(victims, i) : places->member[places->first[node]];

        table[i].share = weight_of(victims, other) * (i < near ? 1 : places_members(places, node));
    }
    alias_build(table, victims->choices);
}

static void look_about(struct victims *victims)
{
    take_seat(victims);
    victims->choices = neighbors(victims) + victims->places->nodes - 1;
}

static void skewed_init(struct victims *victims, void *memory)
{
    const struct places *places = victims->places;

    look_about(victims);
    victims->alias = memory;
    if (places->skewed)
        victims->alias =
            &places->skewed[(size_t)places->node[victims->self] * places->skewed_stride];
    else
        tabulate(victims, memory);
}

size_t skewed_tables_size(const struct places *places)
{
    return (size_t)places->nodes * choices_most(places) * sizeof(struct alias);
}

void skewed_tabulate(struct places *places, double exponent, struct alias *tables)
{
    places->skewed = tables;
    places->skewed_stride = choices_most(places);
    for (int node = 0; node < places->nodes; node++) {
        const int first = places->member[places->first[node]];
        struct victims victims = {.self = first, .places = places, .exponent = exponent};

        look_about(&victims);
        tabulate(&victims, &tables[(size_t)node * places->skewed_stride]);
    }
}

static int skewed_next(struct victims *victims)
{
    const struct places *places = victims->places;
    int choice = alias_draw(victims->alias, victims->choices, &victims->prng);
    int near = neighbors(victims);

    if (choice < near)
        return neighbor(victims, choice);
    int node = other_node(victims, choice - near);
    return places->member[places->first[node] +
                          (int)prng_below(&victims->prng, (uint64_t)places_members(places, node))];
}

const struct victim_ops skewed_victims = {
    .memory_size = skewed_memory_size, .init = skewed_init, .next = skewed_next};

/* ---- nearest: in turn, within a radius that refusals double and tasks halve ---------------- */

/* Distances are sorted as integers, in this unit. */
static const double DISTANCE_UNIT = 1e-6;

static size_t nearest_memory_size(const struct places *places)
{
    return (size_t)places->nodes * (sizeof(struct sort_item) + sizeof(int32_t));
}

/* The own node comes first, whatever the distances between its ranks. */
static int64_t nearest_key(const struct victims *victims, int node)
{
    const struct places *places = victims->places;

    if (node == places->node[victims->self])
        return -1;
    return (int64_t)(places->distance(places, victims->self, places->member[places->first[node]]) /
                     DISTANCE_UNIT);
}

static void nearest_init(struct victims *victims, void *memory)
{
    const struct places *places = victims->places;
    int32_t before = 0;

    take_seat(victims);
    victims->nodes_by_distance = memory;
    victims->before = (int32_t *)(victims->nodes_by_distance + places->nodes);
    for (int node = 0; node < places->nodes; node++)
        victims->nodes_by_distance[node] = (struct sort_item){nearest_key(victims, node), node};
    sort_items(victims->nodes_by_distance, places->nodes);
    for (int i = 0; i < places->nodes; i++) {
        victims->before[i] = before;
        before += places_members(places, victims->nodes_by_distance[i].index) - (i == 0);
    }
    victims->radius = 1;
    victims->turn = victims->self;
}

/* Returns the other rank at that position, from the nearest on. */
static int nearest_at(const struct victims *victims, int position)
{
    const struct places *places = victims->places;
    int low = 0, high = places->nodes - 1;

    while (low < high) {
        int middle = (low + high + 1) / 2;

        if (victims->before[middle] <= position)
            low = middle;
        else
            high = middle - 1;
    }
    position -= victims->before[low];
    return low == 0
               ? neighbor(victims, position)
               : places->member[places->first[victims->nodes_by_distance[low].index] + position];
}

static int nearest_next(struct victims *victims)
{
    return nearest_at(victims, (int)(victims->turn++ % victims->radius));
}

static void nearest_answered(struct victims *victims, int victim, uint32_t count)
{
    (void)victim;
    if (count > 0)
        victims->radius = (victims->radius + 1) / 2;
    else
        victims->radius = (int)min_i64(2 * (int64_t)victims->radius, victims->ranks - 1);
}

const struct victim_ops nearest_victims = {.memory_size = nearest_memory_size,
                                           .init = nearest_init,
                                           .next = nearest_next,
                                           .answered = nearest_answered};
