/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts, in this order:
 * - options that are not fields of a wish
 * - the name of an option in a message, and options that no service can do
 * - options that exclude each other
 * - reading all options, and reporting those that have no effect */
#include "juggle/settings.h"

#include "juggle/command/program.h"
#include "juggle/files/record.h"
#include "cli/chart.h"
#include "juggle/report/benchmark.h"
#include "libjuggle/join/name.h"
#include "cli/options.h"

#include <errno.h>
#include <string.h>

static int option_pids(const char *text, void *target, const char **expected)
{
    const int error = option_string(text, target, expected);

    *expected = "process ids such as 123,456: pgrep(1) finds those of a name";
    return error;
}

/* Checks the format of a trace or picture here, before the program runs. */
static int option_path(const char *text, bool known, void *target)
{
    if (known)
        *(const char **)target = text;
    return known ? 0 : -EINVAL;
}

static int option_trace(const char *text, void *target, const char **expected)
{
    *expected = "a file name that ends in .json or .csv";
    return option_path(text, trace_knows(text), target);
}

static int option_picture(const char *text, void *target, const char **expected)
{
    *expected = "a file name that ends in .svg or .txt";
    return option_path(text, chart_for(text), target);
}

static int option_report(const char *text, void *target, const char **expected)
{
    static const char *const words[] = {
        [REPORT_TEXT] = "text",
        [REPORT_JSON] = "json",
        [REPORT_NONE] = "none",
    };
    struct settings *settings = target;
    int chosen;
    const int error = option_word(text, words, ARRAY_COUNT(words), &chosen);

    *expected = "text, json or none";
    if (error)
        return error;
    settings->report.format = (enum report_format)chosen;
    settings->report.asked = true;
    return 0;
}

static int option_live(const char *text, void *target, const char **expected)
{
    bool shown;

    *expected = "yes, no or the path of a terminal, such as /dev/pts/3";
    if (!flag_parse(text ? text : "yes", &shown))
        text = shown ? "" : NULL;
    else if (!text || !strchr(text, '/'))
        return -EINVAL;
    *(const char **)target = text;
    return 0;
}

static int option_join(const char *text, void *target, const char **expected)
{
    *expected = JOIN_NAME_EXPECTED;
    if (text && !join_name_is_right(text))
        return -EINVAL;
    *(const char **)target = text ? text : "";
    return 0;
}

static const char *const service_words[] = {
    [SERVICE_AUTO] = "auto",
    [SERVICE_NEVER] = "never",
    [SERVICE_ALWAYS] = "always",
};
OPTION_WORD(option_service, enum service_use, service_words, "auto, never or always")

static const char *const waiting_words[] = {
    [WAITING_AUTO] = "auto",
    [WAITING_NONE] = "none",
    [WAITING_ENVIRONMENT] = "environment",
    [WAITING_PRELOAD] = "preload",
};
OPTION_WORD(option_waiting, enum waiting_means, waiting_words, "auto, none, environment or preload")

/* Parses a count from 1 to `most`, or a flag: yes stands for `usual`, no for 0. "1" is a count,
 * and "0" is refused. */
static int count_or_flag(const char *text, int most, int usual, int *count)
{
    int64_t number;
    bool wanted = true;

    if (text && !number_parse(text, 1, most, &number)) {
        *count = (int)number;
        return 0;
    }
    if (text && (!strcmp(text, "0") || flag_parse(text, &wanted)))
        return -EINVAL;
    *count = wanted ? usual : 0;
    return 0;
}

static int option_fit(const char *text, void *target, const char **expected)
{
    *expected = "yes, no, auto or how many threads there may be on this node, 1 to 4096";
    return count_or_flag(text && !strcmp(text, "auto") ? NULL : text, WISH_THREADS_MAX, FIT_AUTO,
                         target);
}

static int option_compare(const char *text, void *target, const char **expected)
{
    *expected = "how many rounds, 1 to 1000";
    return count_or_flag(text, BENCHMARK_ROUNDS_MAX, COMPARE_ROUNDS, target);
}

static int option_json(const char *text, void *target, const char **expected)
{
    bool wanted;
    int error = option_flag(text, &wanted, expected);

    return error || !wanted ? error : option_report("json", target, expected);
}

#define AT(member) offsetof(struct settings, member)

static const struct option_spec options[] = {
    {"attach", 0, "PID...", "balance running programs and let go on Ctrl-C", option_pids, AT(pids)},
    {"report", 0, "FORMAT", "text, json or none at the end (text)", option_report, 0},
    {"json", 0, NULL, "the same as --report json", option_json, 0},
    {"output", 'o', "FILE", "where the report goes (stderr)", option_string,
     AT(paths[OUTPUT_REPORT])},
    {"trace", 0, "FILE", "who ran where: .json for Chrome and Perfetto, .csv", option_trace,
     AT(paths[OUTPUT_TRACE])},
    {"picture", 0, "FILE", "a picture of who ran where, drawn at the end: .svg or .txt",
     option_picture, AT(paths[OUTPUT_PICTURE])},
    {"record", 0, "FILE", "all that was seen and decided, for juggle-sim to replay", option_string,
     AT(paths[OUTPUT_RECORD])},
    {"live", 0, "[=TTY]", "show threads and cost each second on the terminal", option_live,
     AT(live_tty)},
    {"verbose", 'v', NULL, "say which threads come and go", option_flag, AT(verbose)},
    {"quiet", 'q', NULL, "no report and no remarks, only errors", option_flag, AT(quiet)},
    {"dry-run", 0, NULL, "show processors, first placement, source and privileges; run nothing",
     option_flag, AT(dry_run)},
    {"explain", 0, NULL, "show what limits a program here, and what is in its way; run nothing",
     option_flag, AT(explain)},
    {"list", 0, NULL, "show which processes are balanced, and by whom; run nothing", option_flag,
     AT(list)},
    {"join", 0, "[=NAME]", "join the job of this node instead, then become the command",
     option_join, AT(join)},
    {"service", 0, "WHEN", "let juggled balance: auto, never or always (auto)", option_service,
     AT(service)},
    {"waiting", 0, "HOW", "polite waiting: auto, none, environment or preload (auto)",
     option_waiting, AT(waiting)},
    {"fit", 0, "[=N]", "tell OpenMP, BLAS and others how many threads are of use here", option_fit,
     AT(fit)},
    {"compare", 0, "[ROUNDS]", "run it as it is, with juggle and with --fit: which is fastest? (6)",
     option_compare, AT(compare)},
    {"strict", 0, NULL, "do not run a program that cannot be balanced", option_flag, AT(strict)},
    {0},
};

/* Variables of libjuggle-steal, which programs that juggle runs may use. */
static const char *const foreign_variables[] = {"JUGGLE_ALONE",         "JUGGLE_COORDINATES",
                                                "JUGGLE_DISTANCES",     "JUGGLE_STEAL",
                                                "JUGGLE_STEAL_LIBRARY", NULL};

static const struct command_spec command = {
    .name = "juggle",
    .synopsis = "[options] [--] command [arguments]\n"
                "       juggle [options] --attach PID...\n"
                "       juggle [options] --join[=NAME] [--] command [arguments]\n"
                "       juggle [options] --compare [ROUNDS] [--] command [arguments]\n"
                "       juggle --list\n"
                "       juggle nproc [options]",
    .summary = "Runs a program and makes its threads progress at the same rate.",
    .first_steps = "First steps, with a program of your own:\n"
                   "  juggle --explain ./app          what limits it here; runs nothing\n"
                   "  juggle ./app                    balances it, and reports what limited it\n"
                   "  juggle --picture run.svg ./app  also draws who ran where\n"
                   "  juggle --compare ./app          is it faster? runs it with and without\n"
                   "'man juggle' tells more.\n",
    .environment_prefix = "JUGGLE_",
    .foreign_variables = foreign_variables,
    .stop_at_operand = true,
    .exit_failed = EXIT_JUGGLE_FAILED,
    .options = options,
    .fields = wish_fields,
    .fields_offset = AT(wish),
};

void settings_name_option(char *problem, size_t size)
{
    const size_t name = strcspn(problem, ":"), all = strlen(problem) + 1;

    for (const struct field *field = wish_fields; field->option; field++) {
        if (strlen(field->option) != name || strncmp(field->option, problem, name) != 0)
            continue;
        if (all + strlen("--") > size)
            return;
        memmove(problem + strlen("--"), problem, all);
        memcpy(problem, "--", strlen("--"));
        return;
    }
}

const char *settings_unserved(const struct settings *settings)
{
    static const char *const files[OUTPUTS_COUNT] = {
        [OUTPUT_RECORD] = "record",
        [OUTPUT_TRACE] = "trace",
        [OUTPUT_PICTURE] = "picture",
    };

    for (int i = 0; i < OUTPUTS_COUNT; i++)
        if (files[i] && settings->paths[i])
            return files[i];
    if (settings->live_tty)
        return "live";
    if (settings->wish.policy == POLICY_NONE)
        return "policy none";
    return wish_first_set(&settings->wish, false);
}

static bool writes_files(const struct settings *settings)
{
    for (int i = 0; i < OUTPUTS_COUNT; i++)
        if (settings->paths[i])
            return true;
    return false;
}

/* Returns a message about options that exclude each other, or NULL. An explicit request is
 * carried out or refused, never ignored. */
static const char *conflict_of(const struct settings *settings, bool has_operand)
{
    const bool list = settings->list, explain = settings->explain, join = settings->join;
    const bool attach = settings->pids, dry_run = settings->dry_run, compare = settings->compare;
    const bool reports = settings->report.format != REPORT_NONE;
    const bool output = settings->paths[OUTPUT_REPORT];
    const struct {
        bool is_asked;
        const char *words;
    } conflicts[] = {
        {compare && (attach || join || list || dry_run || explain),
         "--compare excludes --attach, --join, --list, --dry-run and --explain"},
        {compare && (writes_files(settings) || settings->live_tty),
         "--compare runs often, and has no --output, --trace, --record, --picture or --live"},
        {compare && !reports, "--report none leaves nothing for --compare to print"},
        {compare && !has_operand, "no command to compare"},
        {list && (has_operand || attach || join || dry_run), "--list stands alone"},
        {explain && (list || attach || join || dry_run),
         "--explain excludes --list, --attach, --join and --dry-run"},
        {!attach && !has_operand && !dry_run && !list && !explain,
         "no command to run: 'juggle --explain COMMAND' says what limits it, 'juggle COMMAND' "
         "balances it, 'juggle --compare COMMAND' tells whether that pays"},
        {wish_problem(&settings->wish), wish_problem(&settings->wish)},
        {join && (attach || dry_run), "--join excludes --attach and --dry-run"},
        {attach && dry_run, "--attach and --dry-run exclude each other"},
        {settings->fit && attach,
         "--fit and --attach exclude each other: what runs has its threads"},
        {(list || explain) && writes_files(settings),
         "--list and --explain run nothing, and leave nothing for --output, --trace, --record or "
         "--picture"},
        {output && join, "--join writes no report, and leaves nothing for --output"},
        {output && !reports, "--report none leaves nothing for --output to write"},
        {attach && settings->service == SERVICE_ALWAYS,
         "--service always and --attach exclude each other"},
    };

    for (size_t i = 0; i < ARRAY_COUNT(conflicts); i++)
        if (conflicts[i].is_asked)
            return conflicts[i].words;
    return NULL;
}

static int settings_check(const struct settings *settings, bool has_operand)
{
    const char *conflict = conflict_of(settings, has_operand);
    const char *unserved = settings_unserved(settings);

    if (conflict)
        complain(command.name, "%s: see 'juggle --help'", conflict);
    else if (unserved && (settings->join || settings->service == SERVICE_ALWAYS))
        complain(command.name, "%s: a service cannot do --%s",
                 settings->join ? "--join" : "--service always", unserved);
    else
        return 0;
    return -EINVAL;
}

/* Reports options that have no effect together with the others. They are harmless, so the run
 * goes on. */
static void unused_tell(const struct settings *settings)
{
    const char *unused = wish_unused(&settings->wish);
    const bool runs = !settings->list && !settings->explain && !settings->dry_run;

    if (unused)
        complain(command.name, "--%s", unused);
    if (!runs && settings->report.asked)
        complain(command.name, "--report is ignored: nothing runs that could be reported");
    if (!runs && settings->live_tty)
        complain(command.name, "--live is ignored: nothing runs that could be shown");
    if (settings->join && settings->report.asked)
        complain(command.name, "--report is ignored: --join writes none");
    if (settings->pids && settings->waiting != WAITING_AUTO)
        complain(command.name, "--waiting is ignored: a program that runs already cannot be told");
}

int settings_read(int argc, char **argv, struct settings *settings, int *operands, int *exit_status)
{
    struct settings made = {.report.format = REPORT_TEXT};

    wish_init(&made.wish);
    int error = options_parse(&command, argc, argv, &made, operands, exit_status);
    if (error)
        return error;
    error = settings_check(&made, *operands < argc);
    if (error) {
        *exit_status = EXIT_USAGE;
        return error;
    }
    if (!made.quiet) {
        options_warn(&command);
        unused_tell(&made);
    }
    if (made.quiet && !made.paths[OUTPUT_REPORT] && !made.compare)
        made.report.format = REPORT_NONE;
    *settings = made;
    return 0;
}
