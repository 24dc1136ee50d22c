/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/actions.h"

#include "juggle/command/not_run.h"
#include "juggle/command/trial.h"
#include "juggle/report/benchmark.h"
#include "cli/options.h"
#include "libjuggle/ground/prng.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum { WORDS_OWN = 6, FIT_WORD_SIZE = 32 };

/* The command, and the results of each of its variants. */
struct race {
    const struct settings *settings;
    struct trials trials;
    struct benchmark benchmark;
    char self[PATH_MAX];
    char fit_word[FIT_WORD_SIZE];
    char **argv[VARIANTS_COUNT];
    int exit_status; /* of the run that ended the comparison, or 0 */
    int interrupted;
};

/* ---- the three commands ---- */

/* Of two contradicting options the last one counts, so juggle's own words come after the user's. */
static char **words_of(struct race *race, enum variant variant, char *const *options,
                       int options_count, char *const *command)
{
    int command_count = 0, count = 0;

    while (command[command_count])
        command_count++;
    char **words = calloc((size_t)(options_count + command_count + WORDS_OWN + 1), sizeof(*words));
    if (!words)
        return NULL;
    if (variant != VARIANT_PLAIN) {
        words[count++] = race->self;
        for (int i = 0; i < options_count; i++)
            words[count++] = options[i];
        words[count++] = (char *)"--compare=no";
        words[count++] = (char *)"--quiet";
        words[count++] = variant == VARIANT_FIT ? race->fit_word : (char *)"--fit=no";
        words[count++] = (char *)"--";
    }
    for (int i = 0; i < command_count; i++)
        words[count++] = command[i];
    return words;
}

/* Finds the path of juggle. Without /proc the name by which it was called is used. */
static void self_find(char self[PATH_MAX])
{
    const ssize_t length = readlink("/proc/self/exe", self, PATH_MAX - 1);

    if (length > 0)
        self[length] = '\0';
    else
        snprintf(self, PATH_MAX, "%s", program_invocation_name);
}

static int race_begin(struct race *race, char *const *options, int options_count,
                      char *const *command)
{
    self_find(race->self);
    if (race->settings->fit > 0)
        snprintf(race->fit_word, sizeof(race->fit_word), "--fit=%d", race->settings->fit);
    else
        snprintf(race->fit_word, sizeof(race->fit_word), "--fit=auto");
    /* Leaves out the "--" that ended the options. */
    if (options_count > 0 && !strcmp(options[options_count - 1], "--"))
        options_count--;
    for (int i = 0; i < VARIANTS_COUNT; i++) {
        race->argv[i] = words_of(race, (enum variant)i, options, options_count, command);
        if (!race->argv[i])
            return -ENOMEM;
    }
    /* The variable would make juggle in the runs compare once more. */
    unsetenv("JUGGLE_COMPARE");
    return trials_begin(&race->trials);
}

static void race_free(struct race *race)
{
    for (int i = 0; race && i < VARIANTS_COUNT; i++)
        free(race->argv[i]);
    free(race);
}

/* ---- runs ---- */

static const char *hint(const struct race *race)
{
    return trials_lacked_input(&race->trials)
               ? "; it read its input, which was empty: give it a file (< FILE)"
               : "";
}

static void tell_failure(const struct race *race, enum variant variant, const char *when,
                         const struct timed_run *trial)
{
    if (trial->death_signal)
        complain("juggle", "--compare: %s was ended by SIG%s %s, run %s%s", race->argv[0][0],
                 sigabbrev_np(trial->death_signal) ? sigabbrev_np(trial->death_signal) : "?", when,
                 variant_name(variant), hint(race));
    else
        complain("juggle", "--compare: %s failed with status %d %s, run %s%s", race->argv[0][0],
                 trial->exit_status, when, variant_name(variant), hint(race));
}

/* Runs one variant once. -ECANCELED: no further runs should follow, and the user has been told
 * why. */
static int run(struct race *race, enum variant variant, const char *when, bool shown,
               int64_t *time_ns)
{
    char problem[PROGRAM_PROBLEM_SIZE];
    struct timed_run trial;
    int error = trial_run(&race->trials, race->argv[variant], shown, &trial, problem);

    if (error && *problem) {
        complain("juggle", "--compare: %s", problem);
        race->exit_status = EXIT_JUGGLE_FAILED;
    } else if (error) {
        race->exit_status = not_run_tell(race->argv[variant][0], error);
    } else if (trial.interrupted) {
        complain("juggle", "--compare: interrupted %s; rounds that are complete: %d of %d", when,
                 race->benchmark.rounds, race->benchmark.rounds_asked);
        race->interrupted = trial.interrupted;
        race->exit_status = EXIT_SIGNAL_BASE + trial.interrupted;
    } else if (trial.exit_status) {
        tell_failure(race, variant, when, &trial);
        race->exit_status = trial.exit_status;
    } else {
        *time_ns = trial.time_ns;
        return 0;
    }
    return -ECANCELED;
}

static void order_shuffle(struct prng *prng, enum variant order[VARIANTS_COUNT])
{
    for (int i = 0; i < VARIANTS_COUNT; i++) {
        const int other = (int)prng_below(prng, (uint64_t)i + 1);
        order[i] = order[other];
        order[other] = (enum variant)i;
    }
}

static int round_run(struct race *race, struct prng *prng)
{
    struct benchmark *benchmark = &race->benchmark;
    enum variant order[VARIANTS_COUNT];
    char when[32];

    snprintf(when, sizeof(when), "in round %d", benchmark->rounds + 1);
    order_shuffle(prng, order);
    for (int i = 0; i < VARIANTS_COUNT; i++) {
        int64_t *time_ns = &benchmark->times_ns[benchmark->rounds][order[i]];
        int error = run(race, order[i], when, false, time_ns);
        if (error)
            return error;
    }
    benchmark->rounds++;
    return 0;
}

/* A rehearsal comes first. It warms up the caches, and it is the only run whose output is shown. */
static void race_run(struct race *race)
{
    struct prng prng;
    int64_t time_ns;
    uint64_t seed = 0;

    (void)!getrandom(&seed, sizeof(seed), 0);
    prng_seed(&prng, seed);
    if (run(race, VARIANT_PLAIN, "in the rehearsal", !race->settings->quiet, &time_ns))
        return;
    while (race->benchmark.rounds < race->benchmark.rounds_asked)
        if (round_run(race, &prng))
            return;
}

/* ---- what came of it ---- */

static int print(const struct race *race)
{
    int error = 0;

    if (!race->benchmark.rounds)
        return 0;
    if (race->settings->report.format == REPORT_JSON)
        error = benchmark_print_json(&race->benchmark, stdout);
    else
        benchmark_print_text(&race->benchmark, stdout);
    if (!error)
        error = stdout_flush();
    if (error)
        complain("juggle", "--compare: cannot print: %s", strerror(-error));
    return error;
}

static void tell_input(const struct race *race)
{
    if (!race->exit_status && !race->settings->quiet && trials_lacked_input(&race->trials))
        complain("juggle",
                 "--compare: %s read its input, which was empty in all runs: give it a "
                 "file (< FILE)",
                 race->argv[0][0]);
}

int compare(const struct settings *settings, char *const *options, int options_count,
            char *const *command)
{
    struct race *race = calloc(1, sizeof(*race));
    int error = -ENOMEM;

    if (race) {
        race->settings = settings;
        race->benchmark.command = command;
        race->benchmark.rounds_asked = settings->compare;
        error = race_begin(race, options, options_count, command);
    }
    if (error) {
        complain("juggle", "--compare: nothing can be run: %s", strerror(-error));
        race_free(race);
        return EXIT_JUGGLE_FAILED;
    }
    race_run(race);
    tell_input(race);
    trials_end(&race->trials);
    error = print(race);
    const int status = race->exit_status ? race->exit_status : error ? EXIT_JUGGLE_FAILED : 0;
    const struct program ended = {.death_signal = race->interrupted};
    race_free(race);
    program_die_alike(&ended);
    return status;
}
