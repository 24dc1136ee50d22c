/* SPDX-License-Identifier: BSD-3-Clause */
/* jugglectl: asks juggled, and tells it what to do.
 *
 *   asking   calls of the service and its errors
 *   text     tables and metrics
 *   top      the live view */
#include "jugglectl/asking.h"
#include "jugglectl/text.h"
#include "jugglectl/top.h"
#include "cli/foreign.h"
#include "libjuggle/join/name.h"
#include "libjuggle/linux/problem.h"
#include "libjuggle/linux/procfs.h"
#include "cli/options.h"
#include "libjuggle/wish/wish_json.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int option_name(const char *text, void *target, const char **expected)
{
    *expected = JOIN_NAME_EXPECTED;
    if (!join_name_is_right(text))
        return -EINVAL;
    *(const char **)target = text;
    return 0;
}

#define AT(member) offsetof(struct settings, member)

static const struct option_spec options[] = {
    {"json", 'j', NULL, "print JSON", option_flag, AT(json)},
    {"socket", 0, "PATH", "where juggled listens (" CLIENT_SOCKET ")", option_string, AT(socket)},
    {"name", 0, "NAME", "attach: what the job is called (its pid)", option_name, AT(name)},
    {"all", 'a', NULL, "release: all jobs, not one", option_flag, AT(all)},
    {"user", 0, "USER", "release --all: those of this user, by name or number", option_string,
     AT(user)},
    {0},
};

enum { PROBLEM_SIZE = 256 };
enum { PID_ALL = 1 }; /* the first process, the ancestor of all others */

/* ---- verbs ---- */

static bool is_pid(const char *text, int *pid)
{
    const char *ignored;

    return isdigit((unsigned char)*text) && option_count(text, pid, &ignored) == 0;
}

/* Process 1 must be named twice. */
static bool is_all(const char *text)
{
    return !strcmp(text, "1,1");
}

static int do_threads(struct context *context, char **arguments)
{
    return show(context,
                ask(context, JUGGLE_INTERFACE ".Threads", json_pack("{s:s}", "job", arguments[0])),
                "threads", text_print_threads);
}

/* With --json prints the stream of pictures, one per line. */
static int do_top(struct context *context, char **arguments)
{
    struct reply reply = {.continues = true};
    int error = 0;

    if (!context->settings->json)
        return top_run(context, arguments[0]);
    if (call_send(context, JUGGLE_INTERFACE ".Monitor", json_pack("{s:s}", "job", arguments[0]),
                  true))
        return EXIT_FAILURE;
    while (!error && reply.continues) {
        reply_release(&reply);
        error = client_reply(context->client, &reply);
        if (error || reply.error)
            break;
        json_dumpf(reply.parameters, stdout, JSON_COMPACT | JSON_ENSURE_ASCII);
        putchar('\n');
        /* Without a reader the job would be watched in vain until its end; main() complains. */
        if (fflush(stdout))
            break;
    }
    return watched(context, &reply, error);
}

/* Reads the start time of the process now, so that the service can tell it from a later process
 * with the same pid. */
static int start_ticks_of(int pid, uint64_t *start_ticks)
{
    struct thread_stat stat;
    int proc_fd;
    int error = procfs_open(&proc_fd);

    if (error)
        return error;
    error = procfs_stat_read(proc_fd, pid, pid, &stat);
    close(proc_fd);
    if (!error)
        *start_ticks = stat.start_ticks;
    return error;
}

static json_t *attach_parameters(const struct settings *settings, int pid, uint64_t start_ticks)
{
    json_t *parameters = json_pack("{s:i, s:I, s:o}", "pid", pid, "start_ticks",
                                   (json_int_t)start_ticks, "settings",
                                   wish_to_json(&settings->wish));
    if (settings->name)
        json_object_set_new(parameters, "name", json_string(settings->name));
    if (pid == PID_ALL)
        json_object_set_new(parameters, "all", json_true());
    return parameters;
}

static void print_job(const json_t *job, FILE *out)
{
    const struct foreign name = {.untrusted = json_string_value(job)};

    fprintf(out, "%s\n", FOREIGN(name));
}

static void complain_unseen(const struct settings *settings, int pid, int error)
{
    char problem[PROBLEM_SIZE];

    if (error == -ESRCH) {
        complain_of(settings, "there is no process %d", pid);
        return;
    }
    problem_of(problem, sizeof(problem), error, "process %d cannot be examined", pid);
    complain_of(settings, "%s", problem);
}

static int do_attach(struct context *context, char **arguments)
{
    const char *text = is_all(arguments[0]) ? "1" : arguments[0];
    uint64_t start_ticks;
    int pid;

    if (!is_pid(text, &pid)) {
        complain_of(context->settings, "'%s' is no pid", arguments[0]);
        return EXIT_USAGE;
    }
    /* A single 1 may be the mistake of a script. */
    if (pid == PID_ALL && !is_all(arguments[0])) {
        complain_of(context->settings, "process 1 stands for all that runs here: to balance the "
                                       "whole machine, name it twice (attach 1,1)");
        return EXIT_USAGE;
    }
    const int error = start_ticks_of(pid, &start_ticks);
    if (error) {
        complain_unseen(context->settings, pid, error);
        return EXIT_FAILURE;
    }
    const char *unused = wish_unused(&context->settings->wish);
    if (unused)
        complain_of(context->settings, "--%s", unused);
    json_t *parameters = attach_parameters(context->settings, pid, start_ticks);
    return show(context, ask(context, JUGGLE_INTERFACE ".Balance", parameters), "job", print_job);
}

static void print_jobs_released(const json_t *jobs, FILE *out)
{
    const json_t *job;
    size_t i;

    json_array_foreach(jobs, i, job) print_job(job, out);
}

/* By name or by number. */
static int uid_of(const char *user, int64_t *uid)
{
    const struct passwd *entry = getpwnam(user);

    if (entry)
        *uid = entry->pw_uid;
    return entry ? 0 : number_parse(user, 0, (int64_t)(uid_t)-1 - 1, uid);
}

static int release_all(struct context *context)
{
    const char *user = context->settings->user;
    json_t *parameters = json_object();
    int64_t uid;

    if (user && uid_of(user, &uid)) {
        complain_of(context->settings, "there is no user '%s'", user);
        json_decref(parameters);
        return EXIT_USAGE;
    }
    if (user)
        json_object_set_new(parameters, "uid", json_integer(uid));
    return show(context, ask(context, JUGGLE_INTERFACE ".ReleaseAll", parameters), "jobs",
                print_jobs_released);
}

static bool is_refused(const struct reply *reply, const char *error)
{
    const char *name = reply->error ? strrchr(reply->error, '.') : NULL;

    return name && !strcmp(name + 1, error);
}

/* A number is tried as the name of a job first, then as a pid. */
static int do_release(struct context *context, char **arguments)
{
    static const char method[] = JUGGLE_INTERFACE ".Release";
    struct reply reply, by_pid;
    int pid;

    if (context->settings->all)
        return release_all(context);
    if (reply_to(context, method, json_pack("{s:s}", "job", arguments[0]), &reply))
        return EXIT_FAILURE;
    if (!is_refused(&reply, "NoSuchJob") || !is_pid(arguments[0], &pid))
        return show(context, answer_of(context, &reply), NULL, NULL);
    if (reply_to(context, method, json_pack("{s:i}", "pid", pid), &by_pid)) {
        reply_release(&reply);
        return EXIT_FAILURE;
    }
    /* The process may well exist, so the first answer is the better one. */
    const bool is_none = is_refused(&by_pid, "NoSuchProcess");
    reply_release(is_none ? &by_pid : &reply);
    return show(context, answer_of(context, is_none ? &reply : &by_pid), NULL, NULL);
}

static int do_set(struct context *context, char **arguments)
{
    static const char key[] = "period=";
    const struct field *field = wish_field_by_key("period");
    const bool named = !strncmp(arguments[1], key, strlen(key));
    char words[FIELD_WORDS_SIZE] = "period=TIME or period=auto";
    struct wish wish;

    if (named)
        field_expects(field, words);
    if (!named || field_set(field, &wish, arguments[1] + strlen(key))) {
        complain_of(context->settings, "'%s' is not usable: expected %s", arguments[1], words);
        return EXIT_USAGE;
    }
    return show(
        context,
        ask(context, JUGGLE_INTERFACE ".SetPeriod",
            json_pack("{s:s, s:I}", "job", arguments[0], "period_ns", (json_int_t)wish.period_ns)),
        NULL, NULL);
}

static int do_metrics(struct context *context, char **arguments)
{
    const char *format = arguments[0] ? arguments[0] : "prometheus";
    const bool open = !strcmp(format, "openmetrics");

    if (!open && strcmp(format, "prometheus") != 0) {
        complain_of(context->settings, "'%s' is not usable: expected prometheus or openmetrics",
                    format);
        return EXIT_USAGE;
    }
    json_t *service = ask(context, JUGGLE_INTERFACE ".Statistics", NULL);
    json_t *jobs = service ? ask(context, JUGGLE_INTERFACE ".Jobs", NULL) : NULL;

    if (jobs && context->settings->json) {
        json_object_update(service, jobs);
        print_json(service);
    } else if (jobs) {
        text_print_metrics(json_object_get(service, "service"), json_object_get(jobs, "jobs"), open,
                           stdout);
    }
    const int status = jobs ? EXIT_SUCCESS : EXIT_FAILURE;
    json_decref(jobs);
    json_decref(service);
    return status;
}

/* Without `run` the command is one call without parameters, whose answer is shown. */
static const struct verb {
    const char *name;
    int arguments_count, arguments_max;
    int (*run)(struct context *context, char **arguments);
    const char *method, *field;
    void (*print)(const json_t *answer, FILE *out);
} verbs[] = {
    {"status", .method = JUGGLE_INTERFACE ".Statistics", .field = "service",
     .print = text_print_service},
    {"jobs", .method = JUGGLE_INTERFACE ".Jobs", .field = "jobs", .print = text_print_jobs},
    {"threads", .arguments_count = 1, .arguments_max = 1, .run = do_threads},
    {"top", .arguments_count = 1, .arguments_max = 1, .run = do_top},
    {"attach", .arguments_count = 1, .arguments_max = 1, .run = do_attach},
    {"release", .arguments_max = 1, .run = do_release},
    {"set", .arguments_count = 2, .arguments_max = 2, .run = do_set},
    {"reload", .method = JUGGLE_INTERFACE ".Reload"},
    {"metrics", .arguments_max = 1, .run = do_metrics},
    {"pause", .method = JUGGLE_INTERFACE ".Pause"},
    {"resume", .method = JUGGLE_INTERFACE ".Resume"},
};

/* For --help and completion; main fills it in. */
static const char *verb_names[ARRAY_COUNT(verbs) + 1];

static void complain_option(const void *settings, const char *words)
{
    complain_of(settings, "%s", words);
}

static const struct command_spec command = {
    .name = JUGGLECTL,
    .synopsis =
        "[options] status | jobs | threads JOB | top JOB | attach PID |\n"
        "       release JOB|PID | release --all [--user USER] | set JOB period=TIME|auto |\n"
        "       pause | resume | reload | metrics [FORMAT]",
    .summary = "Asks juggled, the service that balances a node, and tells it what to do.",
    .verbs = verb_names,
    .options = options,
    .fields = wish_fields,
    .fields_offset = AT(wish),
    .fields_named = true,
    .complain = complain_option,
};

/* Complains about options that only another command uses, and checks the arguments of release,
 * where --all replaces the job. */
static bool options_fit(const struct settings *settings, const struct verb *verb, int words_count)
{
    const bool releases = verb->run == do_release, attaches = verb->run == do_attach;
    const char *wished = wish_first_set(&settings->wish, true);
    const struct {
        const char *option, *command;
        bool is_idle;
    } rows[] = {
        {"all", "release", settings->all && !releases},
        {"user", "release --all", settings->user && !settings->all},
        {"name", "attach", settings->name && !attaches},
        {wished, "attach", wished && !attaches},
    };
    size_t i = 0;

    while (i < ARRAY_COUNT(rows) && !rows[i].is_idle)
        i++;
    if (i < ARRAY_COUNT(rows))
        complain_of(settings, "--%s is for '%s' alone", rows[i].option, rows[i].command);
    else if (releases && words_count != 2 - settings->all)
        complain_of(settings, settings->all ? "'release --all' takes no job"
                                            : "'release' takes 1 argument: see 'jugglectl --help'");
    else
        return true;
    return false;
}

static const struct verb *verb_find(const struct settings *settings, int words_count, char **words)
{
    if (!words_count) {
        complain_of(settings, "say what to do: see 'jugglectl --help'");
        return NULL;
    }
    for (size_t i = 0; i < ARRAY_COUNT(verbs); i++) {
        const struct verb *verb = &verbs[i];
        if (strcmp(words[0], verb->name) != 0)
            continue;
        if (words_count > verb->arguments_count && words_count - 1 <= verb->arguments_max)
            return verb;
        complain_of(settings, "'%s' takes %d argument%s: see 'jugglectl --help'", words[0],
                    verb->arguments_max, plural(verb->arguments_max));
        return NULL;
    }
    complain_of(settings, "'%s' is no command: see 'jugglectl --help'", words[0]);
    return NULL;
}

int main(int argc, char **argv)
{
    struct settings settings = {.socket = CLIENT_SOCKET};
    struct context context = {.settings = &settings};
    int operands, exit_status;

    wish_init(&settings.wish);
    for (size_t i = 0; i < ARRAY_COUNT(verbs); i++)
        verb_names[i] = verbs[i].name;
    if (options_parse(&command, argc, argv, &settings, &operands, &exit_status))
        return exit_status;
    const struct verb *verb = verb_find(&settings, argc - operands, argv + operands);
    if (!verb || !options_fit(&settings, verb, argc - operands))
        return EXIT_USAGE;
    exit_status = verb->run
                      ? verb->run(&context, argv + operands + 1)
                      : show(&context, ask(&context, verb->method, NULL), verb->field, verb->print);
    client_close(context.client);
    if (!stdout_flush())
        return exit_status;
    complain_of(&settings, "cannot write the result to stdout");
    return EXIT_FAILURE;
}
