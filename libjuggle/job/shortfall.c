/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/job/shortfall.h"

#include <stdio.h>

static const char *threads(int count)
{
    return count == 1 ? "thread" : "threads";
}

/* Balancing never began. */
static void tell_nothing(const struct shortfall *shortfall, char text[SHORTFALL_SIZE])
{
    if (!shortfall->found_count)
        snprintf(text, SHORTFALL_SIZE,
                 "no thread of the program was seen: it ended at once, or /proc does not show it");
    else if (shortfall->lone)
        snprintf(text, SHORTFALL_SIZE, "there was one processor only");
    else if (shortfall->working_count < shortfall->expected_count)
        snprintf(text, SHORTFALL_SIZE, "%d %s computed where %d were expected (-n), of %d found",
                 shortfall->working_count, threads(shortfall->working_count),
                 shortfall->expected_count, shortfall->found_count);
    else if (shortfall->working_count < 2 && !shortfall->expected_count)
        snprintf(text, SHORTFALL_SIZE, "no two threads computed at the same time, of %d found",
                 shortfall->found_count);
    else
        snprintf(text, SHORTFALL_SIZE, "the program ended before its threads were complete");
}

static void tell_rest(const struct shortfall *shortfall, char text[SHORTFALL_SIZE])
{
    if (shortfall->placed_count)
        snprintf(text, SHORTFALL_SIZE, "%d %s pinned by the program and left alone: see --override",
                 shortfall->placed_count, shortfall->placed_count == 1 ? "was" : "were");
    else if (shortfall->refused_count)
        snprintf(text, SHORTFALL_SIZE,
                 "%d %s not ours to move, or needed more open files than are allowed (ulimit -n)",
                 shortfall->refused_count, shortfall->refused_count == 1 ? "was" : "were");
    else if (shortfall->crowded)
        snprintf(text, SHORTFALL_SIZE, "there were more threads than can be watched");
    else if (!shortfall->balanced_count)
        snprintf(text, SHORTFALL_SIZE, "every worker had ended before it could be taken");
    else if (shortfall->balanced_count < shortfall->expected_count)
        snprintf(text, SHORTFALL_SIZE, "%d %s computed where %d were expected (-n)",
                 shortfall->balanced_count, threads(shortfall->balanced_count),
                 shortfall->expected_count);
}

bool shortfall_tell(const struct shortfall *shortfall, char text[SHORTFALL_SIZE])
{
    text[0] = '\0';
    if (shortfall->distributed)
        tell_rest(shortfall, text);
    else
        tell_nothing(shortfall, text);
    return text[0] != '\0';
}
