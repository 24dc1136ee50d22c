/* SPDX-License-Identifier: BSD-3-Clause */
/* juggle-predict: predicts by the theory how much faster balancing makes a program. */
#include "libjuggle/policy/policy.h"
#include "cli/options.h"
#include "tools/predict/report.h"

#include <errno.h>
#include <stdlib.h>

enum { COUNT_MAX = 1000000, RUN_YEARS_MAX = 100 };

struct settings {
    struct question question;
    bool equations;
    bool json;
};

static int option_members(const char *text, void *target, const char **expected)
{
    int count;
    const int error = option_count(text, &count, expected);

    *expected = "a whole number from 1 to 1000000";
    if (error)
        return error;
    if (count > COUNT_MAX)
        return -ERANGE;
    *(int *)target = count;
    return 0;
}

static const struct option_spec options[] = {
    {"threads", 'n', "N", "threads of the program (required)", option_members,
     offsetof(struct settings, question.app.n)},
    {"processors", 'm', "M", "processors that they share (as many as --speeds lists)",
     option_members, offsetof(struct settings, question.app.m)},
    {"phase-length", 'e', "TIME", "computation between barriers, on a processor of one's own (1s)",
     option_length, offsetof(struct settings, question.app.e_ns)},
    {"period", 'p', "TIME", "balancing period (10ms)", option_length,
     offsetof(struct settings, question.app.lambda_ns)},
    {"phases", 'k', "K", "phases of the whole run (1)", option_count,
     offsetof(struct settings, question.app.phases)},
    {"domains", 0, "D", "memory domains that balanced threads never leave (1)", option_members,
     offsetof(struct settings, question.app.domains)},
    {"speeds", 0, "LIST", "speed of each processor, such as 1x4,0.6x4 (all equal)", option_speeds,
     offsetof(struct settings, question.speeds)},
    {"smt", 0, "FACTOR[xM]",
     "the first M processors, or all, are pairs: speed of one beside the other", option_smt,
     offsetof(struct settings, question.smt)},
    {"equations", 0, NULL, "show every result of the theory", option_flag,
     offsetof(struct settings, equations)},
    {"json", 0, NULL, "print JSON", option_flag, offsetof(struct settings, json)},
    {0},
};

static const struct command_spec command = {
    .name = "juggle-predict",
    .synopsis = "-n N (-m M | --speeds LIST) [options]",
    .summary = "Predicts the time of a parallel program under static, reactive and proactive load "
               "balancing.",
    .options = options,
};

static int check_counts(const struct question *question)
{
    const struct theory_case *app = &question->app;

    if (!app->n || !app->m) {
        complain(command.name, "%s is missing: see 'juggle-predict --help'",
                 app->n ? "-m, the number of processors," : "-n, the number of threads,");
        return -EINVAL;
    }
    if (app->n < app->m && !question_unequal(question)) {
        complain(command.name,
                 "%d threads leave some of %d processors idle: give at least as many threads (-n) "
                 "as processors (-m)",
                 app->n, app->m);
        return -EINVAL;
    }
    if (app->domains > app->m) {
        complain(command.name, "%d domains cannot share %d processors: give at most %d (--domains)",
                 app->domains, app->m, app->m);
        return -EINVAL;
    }
    return 0;
}

static int check_machine(const struct question *question)
{
    const struct theory_case *app = &question->app;

    if (app->domains > 1) {
        complain(command.name,
                 "--domains needs processors of equal speed: leave out --speeds and --smt");
        return -EINVAL;
    }
    if (app->m > MACHINE_PROCESSORS_MAX || app->n > UNEQUAL_THREADS_MAX) {
        complain(command.name, "%d threads on %d unequal processors are too many: at most %d on %d",
                 app->n, app->m, UNEQUAL_THREADS_MAX, MACHINE_PROCESSORS_MAX);
        return -EINVAL;
    }
    const int error = speeds_check(&question->speeds, app->m, command.name, "speeds");
    return error ? error
                 : speeds_check_siblings(&question->speeds, &question->smt, app->m, command.name);
}

/* Checks and completes the question. Returns 0, or -EINVAL after complaining. */
static int settle_question(struct question *question)
{
    if (!question->app.m)
        question->app.m = question->speeds.count;
    if (check_counts(question))
        return -EINVAL;
    if (!question_unequal(question))
        return 0;
    if (check_machine(question))
        return -EINVAL;
    question_build(question);
    return 0;
}

static int predict(const struct question *question, struct prediction *prediction)
{
    const enum theory_condition condition = question_predict(question, prediction);

    if (condition) {
        complain(command.name, "this needs %s", theory_condition_text(condition));
        return -EINVAL;
    }
    if (prediction->fixed.time_ns > (double)RUN_YEARS_MAX * NSEC_PER_YEAR) {
        complain(command.name,
                 "the run would take more than %d years: give fewer or shorter phases",
                 RUN_YEARS_MAX);
        return -ERANGE;
    }
    return 0;
}

int main(int argc, char **argv)
{
    static struct settings settings = {
        /* large */
        .question.app = {
            .e_ns = NSEC_PER_SEC, .lambda_ns = PERIOD_DEFAULT_NS, .phases = 1, .domains = 1}};
    struct question *question = &settings.question;
    struct prediction prediction;
    int exit_status;

    if (options_parse(&command, argc, argv, &settings, NULL, &exit_status))
        return exit_status;
    if (settle_question(question) || predict(question, &prediction))
        return EXIT_USAGE;
    const struct period_advice advice = advice_of(question, &prediction);
    if (!settings.json) {
        report_table(question, &prediction, &advice);
        if (settings.equations)
            report_equations(question);
    } else if (report_json(question, &prediction, &advice, settings.equations)) {
        complain(command.name, "the JSON could not be written");
        return EXIT_FAILURE;
    }
    return stdout_finish(command.name) ? EXIT_FAILURE : EXIT_SUCCESS;
}
