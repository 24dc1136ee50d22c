/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses topologies, mappings and processors as a user writes them. */
#include "cli/options.h"
#include "tools/steal-sim/machine.h"
#include "tools/steal-sim/processors.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { EXTENT_MAX = 1 << 20, FACTOR_MAX = 1000000, DECIMAL = 10 };

/* Parses "AxBxC" with at least `least` extents. */
static int extents_parse(const char *text, int least, struct topology *topology)
{
    int count = 0;

    for (;; text++) {
        char *end;
        const long extent = strtol(text, &end, DECIMAL);

        if (end == text || extent < 1 || extent > EXTENT_MAX || count == DIMENSIONS_MAX)
            return -EINVAL;
        topology->extent[count++] = (int)extent;
        text = end;
        if (*text != 'x')
            break;
    }
    topology->dimensions = count;
    return *text || count < least ? -EINVAL : 0;
}

static const struct topology tofu = TOPOLOGY_TOFU;

int topology_parse(const char *text, struct topology *out, const char **expected)
{
    static const struct {
        const char *prefix;
        enum topology_kind kind;
        int least;
        bool wraps;
    } kinds[] = {{"tree:", TOPOLOGY_TREE, 1, false},
                 {"torus:", TOPOLOGY_GRID, 1, true},
                 {"mesh:", TOPOLOGY_GRID, 1, false},
                 {"dragonfly:", TOPOLOGY_DRAGONFLY, 2, false}};
    struct topology topology = {.kind = TOPOLOGY_FLAT};

    *expected = "flat, tree:AxB, torus:AxBxC, mesh:AxBxC, tofu or dragonfly:AxB";
    if (strcmp(text, "tofu") == 0)
        topology = tofu;
    else if (strcmp(text, "flat") != 0) {
        size_t i = 0;

        while (i < ARRAY_COUNT(kinds) && strncmp(text, kinds[i].prefix, strlen(kinds[i].prefix)))
            i++;
        if (i == ARRAY_COUNT(kinds) ||
            extents_parse(text + strlen(kinds[i].prefix), kinds[i].least, &topology) < 0)
            return -EINVAL;
        topology.kind = kinds[i].kind;
        for (int k = 0; k < topology.dimensions; k++)
            topology.wraps[k] = kinds[i].wraps;
    }
    *out = topology;
    return 0;
}

int mapping_parse(const char *text, struct rank_mapping *mapping, const char **expected)
{
    char *end;
    long count;

    *expected = "1/N, blocks, or a number of ranks a node with G (blocks) or RR (round robin): 8G";
    if (strcmp(text, "blocks") == 0) {
        mapping->order = MAPPING_BLOCKS;
        return 0;
    }
    count = strtol(text, &end, DECIMAL);
    if (end == text || count < 1 || count > EXTENT_MAX)
        return -EINVAL;
    if (strcmp(end, "G") == 0 || (count == 1 && strcmp(end, "/N") == 0))
        *mapping = (struct rank_mapping){MAPPING_BLOCKS, (int)count};
    else if (strcmp(end, "RR") == 0)
        *mapping = (struct rank_mapping){MAPPING_ROUND_ROBIN, (int)count};
    else
        return -EINVAL;
    return 0;
}

/* Reads the share of "SHARE:REST". Returns REST, or NULL. */
static const char *share_split(const char *text, double *share)
{
    enum { SHARE_SIZE = 32 };
    const char *colon = strchr(text, ':');
    char word[SHARE_SIZE];

    if (!colon || colon - text >= SHARE_SIZE)
        return NULL;
    memcpy(word, text, (size_t)(colon - text));
    word[colon - text] = '\0';
    return share_parse(word, share) == 0 ? colon + 1 : NULL;
}

int option_os_noise(const char *text, void *target, const char **expected)
{
    struct os_noise noise;
    const char *period = share_split(text, &noise.share);
    const bool fits = period && noise.share < 1 &&
                      !option_length(period, &noise.period_ns, expected);

    *expected = "SHARE:PERIOD, less than the whole of a time up to a year, such as 1%:10ms";
    if (!fits)
        return -EINVAL;
    *(struct os_noise *)target = noise;
    return 0;
}

int option_stragglers(const char *text, void *target, const char **expected)
{
    struct stragglers stragglers;
    const char *factor = share_split(text, &stragglers.share);

    *expected = "SHARE:FACTOR, a factor of 1 to 1000000, such as 1%:2";
    if (!factor)
        return -EINVAL;
    const char *end = decimal_read(factor, &stragglers.factor);
    if (!end || *end || stragglers.factor < 1 || stragglers.factor > FACTOR_MAX)
        return -EINVAL;
    *(struct stragglers *)target = stragglers;
    return 0;
}
