/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/topology_mistake.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS_SIZE = 48, QUOTED_MAX = 40 };

/* Tells which of the named processors are missing. False if none is. */
static bool missing_tell(const char *option, const struct cpu_mask *named,
                         const struct cpu_mask *there, char words[TOPOLOGY_MISTAKE_SIZE])
{
    char missing_text[NUMBERS_SIZE], there_text[NUMBERS_SIZE];
    struct cpu_mask missing = *named;

    cpu_mask_subtract(&missing, there);
    if (cpu_mask_count(&missing) == 0)
        return false;
    cpu_mask_format(&missing, missing_text, sizeof(missing_text));
    cpu_mask_format(there, there_text, sizeof(there_text));
    snprintf(words, TOPOLOGY_MISTAKE_SIZE, "%s: %s may not be used here, only %s", option,
             missing_text, there_text);
    return true;
}

static int usable_read(const struct topology_options *options, struct cpu_mask *usable)
{
    struct machine *machine = malloc(sizeof(*machine)); /* 24 KB */
    const int error = machine ? topology_load(options, machine, NULL) : -ENOMEM;

    cpu_mask_clear(usable);
    for (int i = 0; !error && i < machine->processors_count; i++)
        cpu_mask_add(usable, machine->processors[i].os_index);
    free(machine);
    return error;
}

static void absence_tell(const struct topology_options *options, char words[TOPOLOGY_MISTAKE_SIZE])
{
    const struct topology_options every = {.allowed = options->allowed};
    struct cpu_mask there, cpus, domains, twice;

    if (usable_read(&every, &there)) {
        snprintf(words, TOPOLOGY_MISTAKE_SIZE, "there is no processor that may be used here");
        return;
    }
    if (options->cpus && !cpu_mask_parse(options->cpus, &cpus)) {
        if (missing_tell("cpus", &cpus, &there, words))
            return;
        there = cpus;
    }
    if (!options->domains || cpu_mask_parse_lists(options->domains, &domains, &twice) ||
        !missing_tell("domains", &domains, &there, words))
        snprintf(words, TOPOLOGY_MISTAKE_SIZE,
                 "processors went offline and came back meanwhile: try again");
}

static void domains_tell(const char *domains, char words[TOPOLOGY_MISTAKE_SIZE])
{
    char twice_text[NUMBERS_SIZE];
    struct cpu_mask named, twice;

    if (cpu_mask_parse_lists(domains, &named, &twice)) {
        snprintf(words, TOPOLOGY_MISTAKE_SIZE,
                 "domains: '%.*s' is not a list of processor lists such as 0-3;4-7", QUOTED_MAX,
                 domains);
        return;
    }
    cpu_mask_format(&twice, twice_text, sizeof(twice_text));
    snprintf(words, TOPOLOGY_MISTAKE_SIZE, "domains: in more than one domain: %s", twice_text);
}

void topology_mistake(const struct topology_options *options, int error,
                      char words[TOPOLOGY_MISTAKE_SIZE])
{
    switch (error) {
    case -EINVAL:
        snprintf(words, TOPOLOGY_MISTAKE_SIZE, "cpus: '%.*s' is not a processor list such as 0-3,8",
                 QUOTED_MAX, options->cpus ? options->cpus : "");
        return;
    case -EDOM:
        domains_tell(options->domains, words);
        return;
    case -ENXIO:
        absence_tell(options, words);
        return;
    case -E2BIG:
        snprintf(words, TOPOLOGY_MISTAKE_SIZE,
                 "more than %d processors or %d domains: name fewer by cpus or domains",
                 MACHINE_PROCESSORS_MAX, MACHINE_DOMAINS_MAX);
        return;
    case -ENODATA:
        snprintf(words, TOPOLOGY_MISTAKE_SIZE, "the processors of this machine cannot be read");
        return;
    default:
        snprintf(words, TOPOLOGY_MISTAKE_SIZE, "the processors cannot be found out: %s",
                 strerror(-error));
    }
}
