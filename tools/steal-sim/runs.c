/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/steal-sim/runs.h"

#include "cli/progress.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUNS_MAX = 100000, VALUE_SIZE = 256 };

static const char *const program = "steal-sim";

/* ---- what there is to do ------------------------------------------------------------------- */

/* Returns the number of values of a sweep, "OPTION=A,B". */
static int values_count(const char *sweep)
{
    int count = 1;

    for (const char *at = strchr(sweep, '='); *at; at++)
        count += *at == ',';
    return count;
}

/* Copies the option's name, and the value at `index`. Returns 0, or -EINVAL after complaining if
 * one is too long, or the value is empty. */
static int value_at(const char *sweep, int index, char name[VALUE_SIZE], char value[VALUE_SIZE])
{
    const char *begin = strchr(sweep, '=') + 1;
    const size_t name_size = (size_t)(begin - 1 - sweep);

    for (; index > 0; index--)
        begin = strchr(begin, ',') + 1;
    const size_t size = strcspn(begin, ",");

    if (name_size >= VALUE_SIZE || size >= VALUE_SIZE || size == 0) {
        complain(program, "--sweep: '%s' is not usable: expected OPTION=VALUE,VALUE,...", sweep);
        return -EINVAL;
    }
    memcpy(name, sweep, name_size);
    name[name_size] = '\0';
    memcpy(value, begin, size);
    value[size] = '\0';
    return 0;
}

static int combinations_count(const struct steal_sim_settings *settings)
{
    int64_t count = settings->seeds_count;

    for (int i = 0; i < settings->sweeps_count; i++)
        count = min_i64(count * values_count(settings->sweep[i]), RUNS_MAX + 1);
    return (int)count;
}

/* Fills in the options of run `index`. The seed changes fastest, then the last sweep. */
static int run_ask(const struct steal_sim_settings *settings, int index, struct run_record *run)
{
    struct steal_sim_settings asked = *settings;
    const int seed = index % settings->seeds_count;

    index /= settings->seeds_count;
    for (int i = settings->sweeps_count - 1; i >= 0; i--) {
        const int values = values_count(settings->sweep[i]);
        char name[VALUE_SIZE], value[VALUE_SIZE];
        int error = value_at(settings->sweep[i], index % values, name, value);

        if (!error) {
            run->value[i] = strdup(value);
            error = run->value[i] ? simulation_options_set(&asked, name, run->value[i]) : -ENOMEM;
        }
        if (error < 0)
            return error;
        index /= values;
    }
    run->options = asked.options;
    run->options.seed += (uint64_t)seed;
    return simulation_options_settle(&run->options);
}

int runs_plan(const struct steal_sim_settings *settings, struct run_record **out, int *out_count)
{
    const int count = combinations_count(settings);
    struct run_record *runs;
    int error = 0;

    if (count > RUNS_MAX) {
        complain(program, "--%s: more than %d simulations",
                 settings->sweeps_count > 0 ? "sweep" : "seeds", RUNS_MAX);
        return -EINVAL;
    }
    runs = calloc((size_t)count, sizeof(*runs));
    if (!runs)
        return -ENOMEM;
    for (int i = 0; i < count && error == 0; i++)
        error = run_ask(settings, i, &runs[i]);
    if (error < 0) {
        runs_free(runs, count);
        return error;
    }
    *out = runs;
    *out_count = count;
    return 0;
}

void runs_free(struct run_record *runs, int count)
{
    for (int i = 0; i < count; i++) {
        simulation_result_free(&runs[i].result);
        for (int k = 0; k < SWEEPS_MAX; k++)
            free(runs[i].value[k]);
    }
    free(runs);
}

/* ---- one ----------------------------------------------------------------------------------- */

static int run_play(struct run_record *run, FILE *trace, bool metered)
{
    struct progress_bar bar;
    struct prepared_simulation prepared;
    int error = simulation_options_prepare(&run->options, &prepared);
    const char *wrong;

    if (error < 0)
        return error;
    prepared.simulation.trace = trace;
    progress_bar_begin(&bar, metered ? simulation_tasks(&prepared.simulation) : 0);
    prepared.simulation.meter = &bar;
    wrong = simulation_run(&prepared.simulation, &run->result);
    progress_bar_end(&bar);
    if (wrong)
        complain(program, "%d ranks, seed %lu: %s", run->options.ranks,
                 (unsigned long)run->options.seed, wrong);
    prepared_simulation_free(&prepared);
    if (!wrong)
        return 0;
    return *run->result.refusal ? -EINVAL : -EIO;
}

static int run_traced(const struct steal_sim_settings *settings, struct run_record *run)
{
    FILE *trace = NULL;
    int error, closed;

    if (!settings->trace_path)
        return run_play(run, NULL, true);
    trace = fopen(settings->trace_path, "w");
    if (!trace) {
        complain(program, "cannot open %s: %s", settings->trace_path, strerror(errno));
        return -EINVAL;
    }
    fputs("time_ns,rank,worker,state\n", trace);
    error = run_play(run, trace, true);
    closed = ferror(trace);
    closed |= fclose(trace);
    if (error == 0 && closed) {
        complain(program, "cannot write %s", settings->trace_path);
        error = -EIO;
    }
    return error;
}

/* ---- many ---------------------------------------------------------------------------------- */

/* A simulation in a process of its own, which writes its result to an unnamed file. */
struct child {
    pid_t pid; /* 0: none */
    FILE *file;
    int run;
};

static int child_main(struct run_record *run, FILE *file)
{
    const struct simulation_result *result = &run->result;
    const int error = run_play(run, NULL, false);

    if (error < 0)
        return exit_status_of(error);
    fwrite(result, sizeof(*result), 1, file);
    fwrite(result->round, sizeof(*result->round), (size_t)result->rounds, file);
    if (!fflush(file) && !ferror(file))
        return EXIT_SUCCESS;
    complain(program, "the result of a simulation cannot be kept: %s", strerror(errno));
    return EXIT_FAILURE;
}

static int child_start(struct child *child, struct run_record *runs, int which)
{
    const pid_t parent = getpid();

    child->file = tmpfile();
    if (!child->file)
        return -errno;
    child->run = which;
    child->pid = fork();
    if (child->pid < 0) {
        const int error = -errno;

        fclose(child->file);
        child->pid = 0;
        return error;
    }
    if (child->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(EXIT_FAILURE);
        _exit(child_main(&runs[which], child->file));
    }
    return 0;
}

static int result_read(FILE *file, struct simulation_result *out)
{
    struct simulation_result result;
    struct simulation_round *round = NULL;

    rewind(file);
    if (fread(&result, sizeof(result), 1, file) == 1)
        round = calloc((size_t)result.rounds, sizeof(*round));
    if (!round ||
        fread(round, sizeof(*round), (size_t)result.rounds, file) != (size_t)result.rounds) {
        complain(program, "the result of a simulation cannot be read: %s", strerror(errno));
        free(round);
        return -EIO;
    }
    result.round = round;
    *out = result;
    return 0;
}

static int child_end(struct child *child, struct run_record *runs)
{
    int status = 0, error = 0;

    waitpid(child->pid, &status, 0);
    child->pid = 0;
    if (!WIFEXITED(status))
        complain(program, "a simulation was killed by signal %d", WTERMSIG(status));
    if (status != 0)
        error = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_USAGE ? -EINVAL : -EIO;
    else
        error = result_read(child->file, &runs[child->run].result);
    fclose(child->file);
    return error;
}

/* Runs the simulations in child processes and waits for these in order, so that the output does not
 * depend on which one ends first. */
static int runs_play_all(struct run_record *runs, int count, int jobs)
{
    struct child *child = calloc((size_t)jobs, sizeof(*child));
    struct progress_bar bar;
    int error = 0;

    if (!child) {
        complain(program, "no memory for %d simulation%s at a time", jobs, plural(jobs));
        return -ENOMEM;
    }
    progress_bar_begin(&bar, count);
    for (int i = 0; i < count + jobs; i++) {
        struct child *place = &child[i % jobs];

        if (place->pid > 0) {
            const int ended = child_end(place, runs);

            error = error < 0 ? error : ended;
            progress_bar_update(&bar, i - jobs + 1);
        }
        if (i < count && error == 0) {
            error = child_start(place, runs, i);
            if (error < 0)
                complain(program, "cannot start simulation %d of %d, fewer --jobs may help: %s",
                         i + 1, count, strerror(-error));
        }
    }
    progress_bar_end(&bar);
    free(child);
    return error;
}

int runs_play(const struct steal_sim_settings *settings, struct run_record *runs, int count)
{
    const int64_t processors = sysconf(_SC_NPROCESSORS_ONLN);

    if (count == 1)
        return run_traced(settings, runs);
    if (settings->trace_path) {
        complain(program, "--trace works with one simulation only, not with %d", count);
        return -EINVAL;
    }
    return runs_play_all(runs, count,
                         (int)min_i64(settings->jobs ? settings->jobs : processors, count));
}
