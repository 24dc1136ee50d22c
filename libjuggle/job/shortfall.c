/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/job/shortfall.h"

#include "libjuggle/linux/problem.h"

#include <errno.h>
#include <stdio.h>

static void raise_to(int *most, int count)
{
    *most = count > *most ? count : *most;
}

void shortfall_see(struct shortfall *shortfall, int found_count, int named_count, int working_count)
{
    raise_to(&shortfall->found_count, found_count);
    raise_to(&shortfall->named_count, named_count);
    raise_to(&shortfall->working_count, working_count);
}

void shortfall_refuse(struct shortfall *shortfall, int error)
{
    if (shortfall->refused_count++ == 0)
        shortfall->refused_error = error;
}

static void tell_unseen(const struct shortfall *shortfall, char text[SHORTFALL_SIZE])
{
    if (shortfall->scan_error)
        problem_of(text, SHORTFALL_SIZE, shortfall->scan_error,
                   "the threads of the program could not be listed");
    else
        snprintf(text, SHORTFALL_SIZE,
                 "no thread of the program was seen: it ended at once, or /proc does not show it");
}

/* How many threads must want to work if the options set some of them aside; 0: they do not. */
static int needed_with_idle(const struct shortfall *shortfall)
{
    if (shortfall->idle_count <= 0)
        return 0;
    return shortfall->idle_count + (shortfall->expected_count ? shortfall->expected_count : 1);
}

/* Balancing never began. */
static void tell_nothing(const struct shortfall *shortfall, char text[SHORTFALL_SIZE])
{
    const int needed_count = needed_with_idle(shortfall);

    if (!shortfall->found_count)
        tell_unseen(shortfall, text);
    else if (shortfall->lone)
        snprintf(text, SHORTFALL_SIZE, "there was one processor only");
    else if (shortfall->named && !shortfall->named_count)
        snprintf(text, SHORTFALL_SIZE,
                 "none of the %d thread%s found has a name that --match and --idle-comm allow",
                 shortfall->found_count, plural(shortfall->found_count));
    else if (shortfall->working_count < needed_count)
        snprintf(text, SHORTFALL_SIZE,
                 "%d %s found where %d are needed: %d to set aside (--idle), %d to balance",
                 shortfall->working_count, shortfall->working_count == 1 ? "was" : "were",
                 needed_count, shortfall->idle_count, needed_count - shortfall->idle_count);
    else if (shortfall->working_count < shortfall->expected_count)
        snprintf(text, SHORTFALL_SIZE,
                 "%d thread%s computed where %d were expected (-n), of %d found",
                 shortfall->working_count, plural(shortfall->working_count),
                 shortfall->expected_count, shortfall->found_count);
    else if (shortfall->working_count < 2 && !shortfall->expected_count)
        snprintf(text, SHORTFALL_SIZE, "no two threads computed at the same time, of %d found",
                 shortfall->found_count);
    else
        snprintf(text, SHORTFALL_SIZE, "the program ended before its threads were complete");
}

static void tell_refused(const struct shortfall *shortfall, char text[SHORTFALL_SIZE])
{
    const int count = shortfall->refused_count;
    const int error = shortfall->refused_error;

    if (error == -EMFILE)
        snprintf(text, SHORTFALL_SIZE, "%d needed more open files than are allowed (ulimit -n)",
                 count);
    else if (error == -EPERM || error == -EACCES)
        snprintf(text, SHORTFALL_SIZE, "no permission to move %d thread%s", count, plural(count));
    else if (error == -ENOTSUP)
        snprintf(text, SHORTFALL_SIZE, "%d %s SCHED_DEADLINE and cannot be moved", count,
                 count == 1 ? "has" : "have");
    else
        problem_of(text, SHORTFALL_SIZE, error, "%d could not be balanced", count);
}

static bool is_short(const struct shortfall *shortfall)
{
    return !shortfall->balanced_count || shortfall->balanced_count < shortfall->expected_count;
}

static void tell_rest(const struct shortfall *shortfall, char text[SHORTFALL_SIZE])
{
    if (shortfall->pinned_count)
        snprintf(text, SHORTFALL_SIZE, "%d %s pinned by the program and left alone: see --override",
                 shortfall->pinned_count, shortfall->pinned_count == 1 ? "was" : "were");
    else if (shortfall->claimed_count)
        snprintf(text, SHORTFALL_SIZE, "%d %s balanced by another juggle: see juggle --list",
                 shortfall->claimed_count, shortfall->claimed_count == 1 ? "was" : "were");
    else if (shortfall->refused_count)
        tell_refused(shortfall, text);
    else if (shortfall->table_full)
        snprintf(text, SHORTFALL_SIZE, "the program has more threads than can be watched");
    else if (shortfall->passing_count && is_short(shortfall))
        snprintf(text, SHORTFALL_SIZE,
                 "%d %s pinned by the program, and had ended before that was certain: "
                 "see --override",
                 shortfall->passing_count, shortfall->passing_count == 1 ? "was" : "were");
    else if (!shortfall->balanced_count)
        snprintf(text, SHORTFALL_SIZE,
                 "every thread that computed had ended before it could be balanced");
    else if (shortfall->balanced_count < shortfall->expected_count)
        snprintf(text, SHORTFALL_SIZE, "%d thread%s computed where %d were expected (-n)",
                 shortfall->balanced_count, plural(shortfall->balanced_count),
                 shortfall->expected_count);
}

bool shortfall_tell(const struct shortfall *shortfall, char text[SHORTFALL_SIZE])
{
    text[0] = '\0';
    if (shortfall->guardian_error && !shortfall->balanced_count)
        problem_of(text, SHORTFALL_SIZE, shortfall->guardian_error, "no guardian");
    else if (shortfall->distributed)
        tell_rest(shortfall, text);
    else
        tell_nothing(shortfall, text);
    return text[0] != '\0';
}
