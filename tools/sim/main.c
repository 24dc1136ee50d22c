/* SPDX-License-Identifier: BSD-3-Clause */
/* juggle-sim: simulates how much faster a program runs when it is balanced. */
#include "cli/chart.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "tools/sim/picture.h"
#include "tools/sim/replay.h"
#include "tools/sim/run_files.h"
#include "tools/sim/comparison.h"
#include "tools/sim/settings.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    HOPELESS_FACTOR = 100, /* a run that takes this many times as long as without balancing may
                              never end */
    PICTURE_COLUMNS_DEFAULT = 80,
    PICTURE_COLUMNS_MAX = 160,
    PICTURE_MARGIN = 8, /* of the terminal's width, for the labels */
    PICTURE_COLUMNS_MIN = 20,
    TITLE_SIZE = 80,
};

static const char *const program = "juggle-sim";

static int fail(int error)
{
    if (error == -EDOM) {
        complain(program, "the run would take less than 1 ns: give longer phases (-e)");
        return EXIT_USAGE;
    }
    if (error == -ETIME) {
        complain(program,
                 "the run takes %d times as long as without balancing, and may never end: let a "
                 "migration or a turn cost less (--migration-cost, --turn-cost), or give a longer "
                 "period (-p)",
                 HOPELESS_FACTOR);
        return EXIT_USAGE;
    }
    complain(program, "the simulation cannot run: %s", strerror(-error));
    return EXIT_FAILURE;
}

/* Migrations or turns may cost more than they bring. */
static int64_t hopeless_ns(const struct outcome *baseline)
{
    return baseline->completion_ns < INT64_MAX / HOPELESS_FACTOR
               ? HOPELESS_FACTOR * baseline->completion_ns
               : INT64_MAX;
}

static int compare(const struct scenario *scenario, struct run_observers observers,
                   struct comparison *comparison)
{
    int error = scenario_ideal_ns(scenario) < 1 ? -EDOM : 0;

    comparison->scenario = scenario;
    if (!error)
        error = simulate(scenario, CONTENDER_STATIC, NULL, &comparison->baseline);
    if (error)
        return error;
    observers.until_ns = hopeless_ns(&comparison->baseline);
    error = simulate(scenario, CONTENDER_POLICY, &observers, &comparison->policy);
    if (!error && scenario->opponent != OPPONENT_NONE)
        error = simulate(scenario, CONTENDER_OPPONENT,
                         &(struct run_observers){.until_ns = observers.until_ns},
                         &comparison->opponent);
    return error;
}

/* ---- picture ---- */

static int picture_columns(void)
{
    struct winsize size;
    int columns = PICTURE_COLUMNS_DEFAULT;

    if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col)
        columns = size.ws_col < PICTURE_COLUMNS_MAX ? size.ws_col : PICTURE_COLUMNS_MAX;
    columns -= PICTURE_MARGIN;
    return columns > PICTURE_COLUMNS_MIN ? columns : PICTURE_COLUMNS_MIN;
}

static int draw(const struct scenario *scenario, enum contender contender, const char *name,
                const struct outcome *outcome)
{
    const bool colored = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
    char title[TITLE_SIZE];
    struct picture *picture;
    struct outcome again;
    int error = picture_create(scenario, outcome->completion_ns, picture_columns(), &picture);

    if (error)
        return error;
    const struct rig_observer observer = picture_observer(picture);
    error = simulate(scenario, contender, &(struct run_observers){.observer = &observer}, &again);
    if (!error) {
        snprintf(title, sizeof(title), "%s: %s", name, IN_WORDS(outcome->completion_ns));
        picture_print(picture, title, colored, stdout);
    }
    picture_destroy(picture);
    return error;
}

static int draw_all(const struct comparison *comparison)
{
    const struct scenario *scenario = comparison->scenario;
    int error = draw(scenario, CONTENDER_STATIC, "static", &comparison->baseline);

    if (!error && scenario->opponent != OPPONENT_NONE)
        error = draw(scenario, CONTENDER_OPPONENT, opponent_names[scenario->opponent],
                     &comparison->opponent);
    if (!error)
        error = draw(scenario, CONTENDER_POLICY, policy_kind_name(scenario->policy.kind),
                     &comparison->policy);
    if (!error) {
        picture_print_legend(scenario, stdout);
        putchar('\n');
    }
    return error;
}

/* ---- single runs ---- */

static int run_report(const struct settings *settings, const struct comparison *comparison)
{
    int error = settings->picture ? draw_all(comparison) : 0;

    if (error)
        return error;
    if (settings->json)
        return comparison_print_json(comparison);
    comparison_print_table(comparison);
    return 0;
}

static int run_single(const struct settings *settings)
{
    struct scenario scenario;
    struct comparison comparison;
    struct run_files files = {0};
    struct run_observers observers = {0};
    int status = EXIT_SUCCESS;

    settings_scenario(settings, &scenario);
    int error = run_files_open(settings, &scenario, &files, &observers);
    if (error) {
        run_files_close(&files);
        return exit_status_of(error);
    }
    error = compare(&scenario, observers, &comparison);
    if (error)
        status = fail(error);
    else if (run_files_finish(settings, &files))
        status = EXIT_FAILURE;
    run_files_close(&files);
    if (status == EXIT_SUCCESS && run_report(settings, &comparison)) {
        complain(program, "the report could not be written");
        status = EXIT_FAILURE;
    }
    return status;
}

/* ---- sweeps ---- */

/* A period that is a share of the phase is at least 1 ns, because 0 would let the policy choose,
 * and at most a year. */
static void settings_set(struct settings *settings, enum sweep_quantity quantity, double value)
{
    struct scenario *scenario = &settings->scenario;
    const double share_ns = value * (double)scenario->phase_ns;

    switch (quantity) {
    case SWEEP_THREADS:
        scenario->threads_count = (int)value;
        break;
    case SWEEP_PROCESSORS:
        settings->processors_count = (int)value;
        break;
    case SWEEP_PHASE_LENGTH:
        scenario->phase_ns = (int64_t)value;
        break;
    case SWEEP_PERIOD:
        scenario->policy.period_ns = (int64_t)value;
        break;
    case SWEEP_PERIOD_SHARE:
        scenario->policy.period_ns = llround(fmin(fmax(share_ns, 1), (double)NSEC_PER_YEAR));
        break;
    case SWEEP_SEED:
        scenario->seed = (uint64_t)value;
        break;
    }
}

/* Sets periods that are shares of the phase last, because they depend on the phase length, whatever
 * the order of the axes is. */
static void settings_select(struct settings *settings, int64_t index)
{
    const struct sweep *sweep = &settings->sweep;

    for (int shares = 0; shares <= 1; shares++)
        for (int i = 0; i < sweep->axes_count; i++)
            if (shares == (sweep->axes[i].quantity == SWEEP_PERIOD_SHARE))
                settings_set(settings, sweep->axes[i].quantity, sweep_value(sweep, i, index));
}

/* Leaves out combinations of fewer threads than equal processors, because ranges of both contain
 * some. Adds 1 to *printed otherwise. */
static int run_cell(struct settings *settings, int64_t *printed)
{
    struct scenario scenario;
    struct comparison comparison;

    if (settings_check(settings))
        return EXIT_USAGE;
    settings_scenario(settings, &scenario);
    if (scenario.threads_count < scenario.machine.processors_count && !scenario_unequal(&scenario))
        return EXIT_SUCCESS;
    const int error = compare(&scenario, (struct run_observers){0}, &comparison);
    if (error)
        return fail(error);
    if (!(*printed)++)
        comparison_print_csv_header();
    comparison_print_csv_line(&comparison);
    return EXIT_SUCCESS;
}

static int run_sweep(struct settings *settings)
{
    const int64_t count = sweep_count(&settings->sweep);
    struct progress_bar bar;
    int64_t printed = 0;
    int status = EXIT_SUCCESS;

    progress_bar_begin(&bar, count);
    for (int64_t i = 0; i < count && status == EXIT_SUCCESS; i++) {
        settings_select(settings, i);
        status = run_cell(settings, &printed);
        progress_bar_update(&bar, i + 1);
    }
    progress_bar_end(&bar);
    if (status == EXIT_SUCCESS && !printed) {
        complain(program, "no value of --sweep has as many threads as processors: see -n and -m");
        return EXIT_USAGE;
    }
    return status;
}

/* ---- replay ---- */

static int replay_status(const char *path, const struct replay_report *report)
{
    static const char *const events[] = {
        [EVENT_THREAD_ARRIVED] = "thread arrived",
        [EVENT_THREAD_EXITED] = "thread exited",
        [EVENT_START] = "start",
        [EVENT_PERIOD] = "period",
        [EVENT_PROCESSOR_LOST] = "processor lost",
        [EVENT_PROCESSOR_FOUND] = "processor found",
        [EVENT_MOVE_FAILED] = "move failed",
        [EVENT_SPINNING] = "spinning",
        [EVENT_SHORT_PHASES] = "short phases",
    };
    const long long count = (long long)report->events_count;

    switch (report->verdict) {
    case REPLAY_IDENTICAL:
        printf("%lld events, %lld moves: all plans are identical\n", count,
               (long long)report->moves_count);
        return EXIT_SUCCESS;
    case REPLAY_TRUNCATED:
        printf("%lld events, %lld moves: all plans are identical; the recording was cut short when "
               "it was written\n",
               count, (long long)report->moves_count);
        return EXIT_SUCCESS;
    case REPLAY_DIFFERS:
        complain(program, "%s: the policy now makes another plan for event %lld (%s at %.6f s)",
                 path, count, events[report->last_type],
                 (double)report->last_ns / (double)NSEC_PER_SEC);
        return EXIT_FAILURE;
    case REPLAY_DAMAGED:
        complain(program, "%s is damaged or cut off after event %lld", path, count);
        return EXIT_USAGE;
    }
    return EXIT_FAILURE;
}

static void tell_version(const char *path, int64_t version)
{
    char number[TITLE_SIZE];

    snprintf(number, sizeof(number), "version %lld", (long long)version);
    complain(program,
             "%s is a recording of %s, not %d: replay it with the juggle-sim of the juggle that "
             "wrote it",
             path, version ? number : "another version", RECORDING_VERSION);
}

/* Returns the exit status. */
static int tell_unreadable(const char *path, FILE *file, int error)
{
    if (error == -EBADMSG)
        complain(program, "%s is not a recording, or its beginning is damaged", path);
    else if (error == -EPROTONOSUPPORT)
        tell_version(path, recording_version(file));
    else
        complain(program, "cannot read %s: %s", path, strerror(-error));
    return error == -ENOMEM ? EXIT_FAILURE : EXIT_USAGE;
}

static int write_picture(const char *path, const struct run_history *history)
{
    const chart_writer write = path ? chart_for(path) : chart_write_text;
    char title[TITLE_SIZE];
    FILE *out = path ? run_file_open(path, "w") : stdout;

    if (!out)
        return EXIT_USAGE;
    snprintf(title, sizeof(title), "a recording: who ran where, threads: %d",
             run_history_rows(history));
    int error = write(history, title, out);
    if (fflush(out) && !error)
        error = -errno;
    if (path)
        fclose(out);
    if (error)
        complain(program, "the picture could not be written: %s", strerror(-error));
    return error ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* A recording is replayed first, and then read again for the picture. */
static int check_picture(const struct settings *settings, FILE *file)
{
    const char *recording = settings->replay_path, *picture = settings->picture_path;

    if (picture && run_file_is(file, picture)) {
        complain(program, "'%s' and '%s' are one file: name another one for the picture", recording,
                 picture);
        return -EINVAL;
    }
    if (settings->picture && fseek(file, 0, SEEK_SET)) {
        complain(program, "%s cannot be read twice, as a picture needs: give a file", recording);
        return -EINVAL;
    }
    return 0;
}

/* Draws the recorded run, independently of what the policy would decide today. */
static int draw_recording(const struct settings *settings, FILE *file)
{
    struct run_history *history;

    rewind(file);
    const int error = replay_look(file, &history);
    if (error)
        return tell_unreadable(settings->replay_path, file, error);
    const int status = write_picture(settings->picture_path, history);
    run_history_destroy(history);
    return status;
}

static int run_replay(const struct settings *settings)
{
    const char *path = settings->replay_path;
    struct replay_report report;
    FILE *file = run_file_open(path, "rb");

    if (!file)
        return EXIT_USAGE;
    if (check_picture(settings, file)) {
        fclose(file);
        return EXIT_USAGE;
    }
    const int error = replay(file, &report);
    const int drawn = !error && settings->picture ? draw_recording(settings, file) : EXIT_SUCCESS;
    const int status = error ? tell_unreadable(path, file, error) : replay_status(path, &report);
    fclose(file);
    return status == EXIT_SUCCESS ? drawn : status;
}

static int run(struct settings *settings)
{
    settings_tell_unused(settings);
    if (settings->replay_path)
        return run_replay(settings);
    if (settings->sweep.axes_count > 0)
        return run_sweep(settings);
    return settings_check(settings) ? EXIT_USAGE : run_single(settings);
}

int main(int argc, char **argv)
{
    static struct settings settings; /* large */
    int exit_status;

    settings_init(&settings);
    if (options_parse(&settings_command, argc, argv, &settings, NULL, &exit_status))
        return exit_status;
    exit_status = run(&settings);
    return exit_status == EXIT_SUCCESS && stdout_finish(program) ? EXIT_FAILURE : exit_status;
}
