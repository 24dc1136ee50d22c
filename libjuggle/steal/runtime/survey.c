/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts, in this order:
 * - numbers in texts
 * - sources of distances between ranks
 * - what was asked for
 * - the survey: what ranks tell each other, and the groups that follow */
#include "libjuggle/steal/runtime/survey.h"

#include "libjuggle/ground/sort.h"
#include "libjuggle/steal/runtime/agreement.h"
#include "libjuggle/steal/runtime/rank.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANDMARKS_MAX = 8, PROBES = 4, ARRAYS_MAX = 8 };

/* The numbers that each rank tells the others. */
enum {
    TRAIT_NODE,
    TRAIT_CACHE,
    TRAIT_PACKAGE,
    TRAIT_COORDINATES,
    TRAITS_MAX = TRAIT_COORDINATES + DIMENSIONS_MAX
};

struct survey {
    struct places places;
    struct steal_runtime *runtime;
    const struct source *source;
    const char *text; /* the source as it was given */
    int extents;
    int extent[DIMENSIONS_MAX];
    int dimensions; /* of the coordinates */
    int coordinate[DIMENSIONS_MAX];
    int32_t landmarks[LANDMARKS_MAX]; /* ranks to which the latency is measured */
    int64_t *traits;                  /* TRAITS_MAX numbers of each rank */
    float *latency;                   /* those of the places; NULL: none */
    int64_t *trip_ns;        /* the fastest round trips, from which latencies are computed */
    void *array[ARRAYS_MAX]; /* what survey_array() has returned */
    int arrays;
};

struct source {
    const char *name;
    bool has_extents;
    /* Prepares what `distance` needs. The places are grouped by node by then, and `traits` is
     * filled in. */
    int (*prepare)(struct survey *survey);
    double (*distance)(const struct places *places, int from, int to);
};

/* ---- numbers in texts ---------------------------------------------------------------------- */

/* Up to DIMENSIONS_MAX integers with separators between them; returns how many, -EINVAL. */
static int numbers_parse(const char *text, char separator, int *numbers)
{
    for (int count = 0; count < DIMENSIONS_MAX; text++) {
        char *end;
        long number = (errno = 0, strtol(text, &end, 10));

        if (end == text || errno || number > INT_MAX || number < INT_MIN)
            return -EINVAL;
        numbers[count++] = (int)number;
        if (!*end)
            return count;
        if (*end != separator)
            return -EINVAL;
        text = end;
    }
    return -EINVAL;
}

/* ---- sources ------------------------------------------------------------------------------- */

static int prepare_nothing(struct survey *survey)
{
    (void)survey;
    return 0;
}

/* Returns zeros, which survey_close() frees; NULL if there is no memory. */
static void *survey_array(struct survey *survey, int count, size_t size)
{
    void *array = calloc((size_t)count, size);

    if (array)
        survey->array[survey->arrays++] = array;
    return array;
}

static int copy_traits(struct survey *survey, int first, int count)
{
    const int ranks = survey->places.ranks;
    int32_t *coordinates = survey_array(survey, ranks * count, sizeof(*coordinates));

    if (!coordinates)
        return -ENOMEM;
    for (int i = 0; i < ranks * count; i++)
        coordinates[i] = (int32_t)survey->traits[i / count * TRAITS_MAX + first + i % count];
    survey->places.coordinates = coordinates;
    survey->places.dimensions = count;
    return 0;
}

static int prepare_cache(struct survey *survey)
{
    return copy_traits(survey, TRAIT_CACHE, 2);
}

static int prepare_coordinates(struct survey *survey)
{
    if (survey->dimensions == 0)
        return runtime_fail(
            survey->runtime, -EINVAL,
            "distances 'coordinates' need coordinates: set them in steal_options or "
            "JUGGLE_COORDINATES");
    return copy_traits(survey, TRAIT_COORDINATES, survey->dimensions);
}

static int prepare_extents(struct survey *survey)
{
    int64_t room = 1;

    for (int i = 0; i < survey->extents; i++)
        room = min_i64(room * survey->extent[i], INT_MAX);
    if (room < survey->places.nodes)
        return runtime_fail(survey->runtime, -EINVAL,
                            "distances '%s' have room for %d of the %d nodes", survey->text,
                            (int)room, survey->places.nodes);
    memcpy(survey->places.extent, survey->extent, sizeof(survey->extent));
    survey->places.dimensions = survey->extents;
    return 0;
}

/* Makes some nodes, spread evenly, landmarks. */
static int prepare_measured(struct survey *survey)
{
    struct places *places = &survey->places;
    const int landmarks = places->nodes < LANDMARKS_MAX ? places->nodes : LANDMARKS_MAX;
    int32_t *landmark = survey_array(survey, places->nodes, sizeof(*landmark));

    survey->latency = survey_array(survey, places->nodes * landmarks, sizeof(float));
    survey->trip_ns = survey_array(survey, places->nodes * landmarks, sizeof(int64_t));
    if (!survey->latency || !survey->trip_ns || !landmark)
        return -ENOMEM;
    for (int node = 0; node < places->nodes; node++)
        landmark[node] = -1;
    for (int i = 0; i < landmarks; i++) {
        int node = (int)((int64_t)i * places->nodes / landmarks);

        landmark[node] = i;
        survey->landmarks[i] = places->member[places->first[node]];
    }
    places->latency = survey->latency;
    places->landmark = landmark;
    places->dimensions = landmarks;
    return 0;
}

static const struct source sources[] = {
    {"node", false, prepare_nothing, distance_by_node},
    {"cache", false, prepare_cache, distance_by_cache},
    {"coordinates", false, prepare_coordinates, distance_by_coordinates},
    {"measured", false, prepare_measured, distance_by_latency},
    {"torus", true, prepare_extents, distance_in_torus},
    {"tree", true, prepare_extents, distance_in_tree},
};

/* ---- what was asked for -------------------------------------------------------------------- */

static bool source_is(const struct source *source, const char *text)
{
    size_t length = strlen(source->name);

    return strncmp(text, source->name, length) == 0 &&
           text[length] == (source->has_extents ? ':' : '\0');
}

static int survey_choose(struct survey *survey, char *message)
{
    const char *text = survey->text;

    for (size_t i = 0; i < ARRAY_COUNT(sources); i++)
        if (source_is(&sources[i], text))
            survey->source = &sources[i];
    if (survey->source && survey->source->has_extents) {
        survey->extents = numbers_parse(strchr(text, ':') + 1, 'x', survey->extent);
        for (int i = 0; i < survey->extents; i++)
            if (survey->extent[i] < 1)
                survey->extents = -EINVAL;
    }
    if (survey->source && survey->extents >= 0)
        return 0;
    snprintf(message, STEAL_MESSAGE_MAX,
             "distances '%s' are not known: expected node, cache, coordinates, measured, "
             "torus:AxB or tree:AxB",
             text);
    return -EINVAL;
}

int survey_check(const struct steal_options *options, char *message)
{
    struct survey survey = {.text = options->distances};

    if (options->coordinates && (options->dimensions < 1 || options->dimensions > DIMENSIONS_MAX)) {
        snprintf(message, STEAL_MESSAGE_MAX, "dimensions must be 1 to %d, not %d", DIMENSIONS_MAX,
                 options->dimensions);
        return -EINVAL;
    }
    return survey.text ? survey_choose(&survey, message) : 0;
}

static int survey_coordinates(struct survey *survey)
{
    const struct steal_options *options = &survey->runtime->options;
    const char *text = getenv("JUGGLE_COORDINATES");

    if (options->coordinates) {
        survey->dimensions = options->dimensions;
        memcpy(survey->coordinate, options->coordinates, (size_t)options->dimensions * sizeof(int));
        return 0;
    }
    survey->dimensions = text ? numbers_parse(text, ',', survey->coordinate) : 0;
    if (survey->dimensions >= 0)
        return 0;
    return runtime_fail(survey->runtime, -EINVAL,
                        "JUGGLE_COORDINATES must be 1 to %d integers with commas between them, "
                        "not '%s'",
                        DIMENSIONS_MAX, text);
}

static int survey_wish(struct survey *survey)
{
    int result = survey_coordinates(survey);

    survey->traits = calloc((size_t)survey->places.ranks, TRAITS_MAX * sizeof(*survey->traits));
    if (!survey->traits)
        return runtime_fail(survey->runtime, -ENOMEM, "no memory for a survey");
    if (result < 0)
        return result;
    survey->text = survey->runtime->options.distances;
    if (!survey->text)
        survey->text = getenv("JUGGLE_DISTANCES");
    if (!survey->text)
        survey->text = survey->dimensions > 0 ? "coordinates" : "node";
    return survey_choose(survey, survey->runtime->message);
}

/* Checks that all ranks have chosen the same source, with the same number of coordinates. */
static int survey_agree(struct survey *survey, int status)
{
    static const struct parameter parameter = {.name = "the number of coordinates",
                                               .type = PARAMETER_INT};
    const int64_t digest = survey->text ? text_digest(0, survey->text) : 0;

    return ranks_agree(survey->runtime, status, "the source of distances", digest,
                       &(struct parameters){&parameter, 1}, &survey->dimensions);
}

/* ---- the survey ---------------------------------------------------------------------------- */

/* Each rank fills in its own numbers and leaves zeros for others, so that the sum over the ranks
 * has those of all. */
static int survey_exchange(struct survey *survey)
{
    const struct transport *transport = survey->runtime->transport;
    int64_t *own = &survey->traits[transport->rank * TRAITS_MAX];

    own[TRAIT_NODE] = transport->node;
    own[TRAIT_CACHE] = transport->cache;
    own[TRAIT_PACKAGE] = transport->package;
    for (int i = 0; i < survey->dimensions; i++)
        own[TRAIT_COORDINATES + i] = survey->coordinate[i];
    return ranks_sum(survey->runtime, survey->traits, (size_t)transport->ranks * TRAITS_MAX);
}

/* A key that the ranks of one node share: the node, or with distances by coordinates, a hash of
 * these. */
static int64_t node_key(const struct survey *survey, int rank)
{
    const int64_t *traits = &survey->traits[rank * TRAITS_MAX];
    uint64_t key = 0;

    if (survey->source->distance != distance_by_coordinates)
        return traits[TRAIT_NODE];
    for (int i = 0; i < survey->dimensions; i++)
        key = (key ^ (uint32_t)traits[TRAIT_COORDINATES + i]) * UINT64_C(0x9e3779b97f4a7c15);
    return (int64_t)(key >> 1);
}

static int survey_group(struct survey *survey)
{
    struct places *places = &survey->places;
    const int ranks = places->ranks;
    struct sort_item *items = survey_array(survey, ranks, sizeof(*items));
    int32_t *node = survey_array(survey, ranks, sizeof(*node));
    int32_t *host = survey_array(survey, ranks, sizeof(*host));
    int32_t *first = survey_array(survey, ranks + 1, sizeof(*first));
    int32_t *member = survey_array(survey, ranks, sizeof(*member));

    if (!items || !node || !host || !first || !member)
        return -ENOMEM;
    for (int rank = 0; rank < ranks; rank++) {
        host[rank] = (int32_t)survey->traits[rank * TRAITS_MAX + TRAIT_NODE];
        items[rank] = (struct sort_item){node_key(survey, rank), rank};
    }
    sort_items(items, ranks);
    for (int i = 0; i < ranks; i++) {
        places->nodes += i == 0 || items[i].key != items[i - 1].key;
        node[items[i].index] = places->nodes - 1;
    }
    places_group(node, ranks, places->nodes, first, member);
    places->node = node;
    places->host = host;
    places->first = first;
    places->member = member;
    return 0;
}

static int survey_make(struct survey *survey)
{
    int result = survey_group(survey);

    if (result == 0)
        result = survey->source->prepare(survey);
    survey->places.distance = survey->source->distance;
    return result == -ENOMEM ? runtime_fail(survey->runtime, result, "no memory for a survey")
                             : result;
}

/* Measures round trips of a byte, of which the fastest counts. Both ranks call it; the lower one
 * asks. */
static int probe(struct transport *transport, int other, int64_t *least_ns)
{
    const bool asks = transport->rank < other;
    char byte = 0;
    int result = 0;

    *least_ns = INT64_MAX;
    for (int i = 0; i < PROBES && result == 0; i++) {
        const int64_t begin_ns = transport->ops->now_ns(transport);

        result = asks ? transport->ops->send_data(transport, other, &byte, sizeof(byte))
                      : transport->ops->receive_data(transport, other, &byte, sizeof(byte));
        if (result == 0)
            result = asks ? transport->ops->receive_data(transport, other, &byte, sizeof(byte))
                          : transport->ops->send_data(transport, other, &byte, sizeof(byte));
        *least_ns = min_i64(*least_ns, transport->ops->now_ns(transport) - begin_ns);
    }
    return result;
}

/* Measures between the first rank of each node and each landmark, one pair after the other. */
static int survey_probe(struct survey *survey)
{
    struct transport *transport = survey->runtime->transport;
    const struct places *places = &survey->places;
    const int landmarks = places->dimensions, self = transport->rank;
    int result = 0;

    for (int i = 0; i < landmarks * places->nodes && result == 0; i++) {
        const int node = i % places->nodes, which = i / places->nodes;
        const int first = places->member[places->first[node]], landmark = survey->landmarks[which];

        if (first != landmark && (self == first || self == landmark))
            result = probe(transport, self == first ? landmark : first,
                           &survey->trip_ns[node * landmarks + which]);
    }
    return result < 0 ? rank_fail(survey->runtime, result) : 0;
}

/* Measures latencies, as multiples of the least one. */
static int survey_measure(struct survey *survey)
{
    const struct places *places = &survey->places;
    const int count = places->nodes * places->dimensions;
    int64_t least_ns = INT64_MAX;
    int result;

    if (!survey->latency || places->nodes == 1)
        return 0;
    result = ranks_succeed(survey->runtime, survey_probe(survey));
    if (result == 0)
        result = ranks_max(survey->runtime, survey->trip_ns, (size_t)count);
    for (int i = 0; i < count; i++)
        if (survey->trip_ns[i] > 0)
            least_ns = min_i64(least_ns, survey->trip_ns[i]);
    for (int i = 0; i < count; i++)
        survey->latency[i] = (float)((double)survey->trip_ns[i] / (double)least_ns);
    return result;
}

int survey_open(struct steal_runtime *runtime, struct survey **out)
{
    struct survey *survey = calloc(1, sizeof(*survey));
    int result;

    if (!survey)
        return ranks_succeed(runtime, runtime_fail(runtime, -ENOMEM, "no memory for a survey"));
    survey->runtime = runtime;
    survey->places.ranks = runtime->transport->ranks;
    result = survey_agree(survey, survey_wish(survey));
    if (result == 0)
        result = survey_exchange(survey);
    if (result == 0)
        result = ranks_succeed(runtime, survey_make(survey));
    if (result == 0)
        result = survey_measure(survey);
    if (result < 0) {
        survey_close(survey);
        return result;
    }
    free(survey->traits);
    survey->traits = NULL;
    *out = survey;
    return 0;
}

void survey_close(struct survey *survey)
{
    if (!survey)
        return;
    for (int i = 0; i < survey->arrays; i++)
        free(survey->array[i]);
    free(survey->traits);
    free(survey);
}

const struct places *survey_places(const struct survey *survey)
{
    return &survey->places;
}
