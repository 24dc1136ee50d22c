/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds out where the ranks are, from a table of sources: "node" (which ranks share memory),
 * "cache" (also which share a cache or a package), "coordinates" (given by the program or in the
 * environment), "measured" (round trips), "torus:AxBxC" and "tree:AxB" (a description of the
 * cluster).
 */
#ifndef JUGGLE_STEAL_RUNTIME_SURVEY_H
#define JUGGLE_STEAL_RUNTIME_SURVEY_H

#include "libjuggle/ground/units.h"
#include "libjuggle/steal/protocol/places.h"
#include "libjuggle/steal.h"

struct steal_runtime;
struct survey;

/* Checks what can be checked of the options before the ranks are known: -EINVAL, and the
 * message. */
int survey_check(const struct steal_options *options, char *message) MUST_CHECK;

/*
 * Collective, after survey_check(). Uses the source of the options, or else that of the
 * environment, or else coordinates if there are any, or else "node". On failure the runtime's
 * message says why, on all ranks.
 */
int survey_open(struct steal_runtime *runtime, struct survey **survey) MUST_CHECK;

/* Accepts NULL. */
void survey_close(struct survey *survey);

const struct places *survey_places(const struct survey *survey);

#endif
