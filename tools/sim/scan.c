/* SPDX-License-Identifier: BSD-3-Clause */
/* Linked with --wrap=main,--wrap=simulate into the juggle-sim of tools/sim/scan: SCAN="NAME=FACTOR"
 * multiplies a tuned constant, and only the policy is simulated. Each line of the input is a
 * command line, because starting a process would take longer than the simulation. An empty line
 * ends the output of a command. */
#include "tools/sim/simulation.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 1024, WORDS_MAX = 64 };

/* Names that the linker gives with --wrap. */
int __real_main(int argc, char **argv);
int __wrap_main(void);
int __real_simulate(const struct scenario *scenario, enum contender contender,
                    const struct run_observers *observers, struct outcome *outcome);
int __wrap_simulate(const struct scenario *scenario, enum contender contender,
                    const struct run_observers *observers, struct outcome *outcome);
double policy_scan(const char *name, double value);

static const char *wish;
static size_t length; /* of the constant's name; 0: no constant is changed */
static double factor;

static void wish_read(void)
{
    wish = getenv("SCAN");
    const char *equals = wish ? strchr(wish, '=') : NULL;

    if (!equals)
        return;
    length = (size_t)(equals - wish);
    factor = atof(equals + 1);
}

double policy_scan(const char *name, double value)
{
    return length && !strncmp(wish, name, length) && !name[length] ? value * factor : value;
}

int __wrap_simulate(const struct scenario *scenario, enum contender contender,
                    const struct run_observers *observers, struct outcome *outcome)
{
    *outcome = (struct outcome){0};
    if (contender != CONTENDER_POLICY)
        return 0;
    return __real_simulate(scenario, contender, observers, outcome);
}

int __wrap_main(void)
{
    char line[LINE_SIZE], *words[WORDS_MAX + 1];
    int status = EXIT_SUCCESS;

    wish_read();
    while (status == EXIT_SUCCESS && fgets(line, sizeof(line), stdin)) {
        int count = 0;

        char *rest = line, *word;
        while (count < WORDS_MAX && (word = strtok_r(rest, " \n", &rest)))
            words[count++] = word;
        words[count] = NULL;
        optind = 0; /* lets getopt begin anew */
        status = __real_main(count, words);
        puts("");
    }
    return status;
}
