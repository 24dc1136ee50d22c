/* SPDX-License-Identifier: BSD-3-Clause */
/* juggle-sim: simulates how much faster a program runs when it is balanced. */
#include "cli/chart.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "tools/sim/picture.h"
#include "tools/sim/replay.h"
#include "tools/sim/comparison.h"
#include "tools/sim/settings.h"
#include "tools/sim/trace.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    RECORDING_BUFFER_SIZE = 1 << 24,
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
    complain(program, "the simulation cannot run: %s", strerror(-error));
    return EXIT_FAILURE;
}

/* Opens a file that the user has named; returns NULL after complaining. */
static FILE *open_file(const char *path, const char *mode)
{
    FILE *file = fopen(path, mode);

    if (!file)
        complain(program, "cannot open %s: %s", path, strerror(errno));
    return file;
}

static int compare(const struct scenario *scenario, const struct run_observers *observers,
                   struct comparison *comparison)
{
    int error = scenario_ideal_ns(scenario) < 1 ? -EDOM : 0;

    comparison->scenario = scenario;
    if (!error)
        error = simulate(scenario, CONTENDER_STATIC, NULL, &comparison->baseline);
    if (!error)
        error = simulate(scenario, CONTENDER_POLICY, observers, &comparison->policy);
    if (!error && scenario->opponent != OPPONENT_NONE)
        error = simulate(scenario, CONTENDER_OPPONENT, NULL, &comparison->opponent);
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

/* The files that a single run writes beside its report. */
struct outputs {
    FILE *trace_file;
    struct rig_observer observer;
    FILE *record_file;
    struct recording_writer *writer;
    struct engine_recorder recorder;
    int error; /* the first of the recording, or 0 */
};

static void flush_recording(void *context, struct rig *rig, struct engine *engine, int domain)
{
    struct outputs *outputs = context;

    (void)rig, (void)engine, (void)domain;
    if (!outputs->error)
        outputs->error = recording_writer_flush(outputs->writer);
}

static int outputs_open(const struct settings *settings, const struct scenario *scenario,
                        struct outputs *outputs, struct run_observers *observers)
{
    if (settings->trace_path) {
        outputs->trace_file = open_file(settings->trace_path, "w");
        if (!outputs->trace_file)
            return -EINVAL;
        outputs->observer = trace_begin(outputs->trace_file);
        observers->observer = &outputs->observer;
    }
    if (settings->record_path) {
        outputs->record_file = open_file(settings->record_path, "wb");
        if (!outputs->record_file)
            return -EINVAL;
        const int error = recording_writer_create(&scenario->machine, &scenario->policy,
                                                  RECORDING_BUFFER_SIZE, outputs->record_file,
                                                  &outputs->writer);
        if (error) {
            complain(program, "cannot write %s: %s", settings->record_path, strerror(-error));
            return error;
        }
        outputs->recorder = recording_writer_port(outputs->writer);
        observers->recorder = &outputs->recorder;
        observers->context = outputs;
        observers->after_turn = flush_recording;
    }
    return 0;
}

/* Complains about each file that could not be written completely, and returns an error then. */
static int outputs_finish(const struct settings *settings, struct outputs *outputs)
{
    int error = 0;

    if (outputs->trace_file && (fflush(outputs->trace_file) || ferror(outputs->trace_file))) {
        complain(program, "cannot write all of %s", settings->trace_path);
        error = -EIO;
    }
    if (outputs->writer) {
        if (!outputs->error)
            outputs->error = recording_writer_finish(outputs->writer);
        if (outputs->error) {
            complain(program, "cannot write all of %s", settings->record_path);
            error = outputs->error;
        }
    }
    return error;
}

static void outputs_close(struct outputs *outputs)
{
    recording_writer_destroy(outputs->writer);
    if (outputs->record_file)
        fclose(outputs->record_file);
    if (outputs->trace_file)
        fclose(outputs->trace_file);
}

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
    struct outputs outputs = {0};
    struct run_observers observers = {0};
    int status = EXIT_SUCCESS;

    settings_scenario(settings, &scenario);
    int error = outputs_open(settings, &scenario, &outputs, &observers);
    if (error) {
        outputs_close(&outputs);
        return exit_status_of(error);
    }
    error = compare(&scenario, &observers, &comparison);
    if (error)
        status = fail(error);
    else if (outputs_finish(settings, &outputs))
        status = EXIT_FAILURE;
    outputs_close(&outputs);
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
 * some. */
static int run_cell(struct settings *settings)
{
    struct scenario scenario;
    struct comparison comparison;

    if (settings_check(settings))
        return EXIT_USAGE;
    settings_scenario(settings, &scenario);
    if (scenario.threads_count < scenario.machine.processors_count && !scenario_unequal(&scenario))
        return EXIT_SUCCESS;
    const int error = compare(&scenario, NULL, &comparison);
    if (error)
        return fail(error);
    comparison_print_csv_line(&comparison);
    return EXIT_SUCCESS;
}

static int run_sweep(struct settings *settings)
{
    const int64_t count = sweep_count(&settings->sweep);
    struct progress_bar bar;
    int status = EXIT_SUCCESS;

    comparison_print_csv_header();
    progress_bar_begin(&bar, count);
    for (int64_t i = 0; i < count && status == EXIT_SUCCESS; i++) {
        settings_select(settings, i);
        status = run_cell(settings);
        progress_bar_update(&bar, i + 1);
    }
    progress_bar_end(&bar);
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

static const char *reader_message(int error)
{
    switch (error) {
    case -EBADMSG:
        return "is not a recording, or its beginning is damaged";
    case -EPROTONOSUPPORT:
        return "is a recording of another version";
    default:
        return "cannot be read: out of memory";
    }
}

/* Draws the recorded run, independently of what the policy would decide today. */
static int draw_recording(const struct settings *settings, FILE *file)
{
    const char *path = settings->picture_path;
    const chart_writer write = path ? chart_for(path) : chart_write_text;
    char title[TITLE_SIZE];
    struct run_history *history;
    FILE *out = path ? open_file(path, "w") : stdout;

    rewind(file);
    if (!out)
        return EXIT_USAGE;
    int error = replay_look(file, &history);
    if (!error) {
        snprintf(title, sizeof(title), "a recording: who ran where, threads: %d",
                 run_history_rows(history));
        error = write(history, title, out);
        run_history_destroy(history);
    }
    if (fflush(out) && !error)
        error = -errno;
    if (path)
        fclose(out);
    if (error)
        complain(program, "the picture could not be written: %s", strerror(-error));
    return error ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int run_replay(const struct settings *settings)
{
    const char *path = settings->replay_path;
    struct replay_report report;
    FILE *file = open_file(path, "rb");

    if (!file)
        return EXIT_USAGE;
    const int error = replay(file, &report);
    const int drawn = !error && settings->picture ? draw_recording(settings, file) : EXIT_SUCCESS;
    fclose(file);
    if (!error) {
        const int status = replay_status(path, &report);
        return status == EXIT_SUCCESS ? drawn : status;
    }
    complain(program, "%s %s", path, reader_message(error));
    return error == -ENOMEM ? EXIT_FAILURE : EXIT_USAGE;
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
