/* SPDX-License-Identifier: BSD-3-Clause */
/* juggled: balances the jobs of a whole node.
 *
 *   service               the event loop over all of it
 *   rules/                limits and rules: juggle.conf and its drop-ins, from trusted files only
 *   talk/watch            looks for processes that match a rule
 *   talk/clients, calls   sockets; the methods of io.juggle, and who may call them
 *   care/jobs             the jobs: made, joined, judged, released
 *   care/service_job      one job (libjuggle/job/job.h balances it)
 *   care/process          identifies a process, also against a later one with the same pid
 *   care/store            what outlives the service: owed masks, records of jobs */
#include "juggled/log.h"
#include "juggled/runtime.h"
#include "juggled/service.h"
#include "juggled/socket_file.h"
#include "libjuggle/varlink/client.h"
#include "libjuggle/varlink/listener.h"
#include "cli/options.h"
#include "libjuggle/linux/topology.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

enum { LISTENERS_MAX = 4 };

#define GROUP_USUAL "juggle"

struct settings {
    const char *socket;
    const char *directory;
    const char *vendor_directory;
    const char *state_directory;
    const char *group;
    bool check_config;
    bool coordinate;
};

#define AT(member) offsetof(struct settings, member)

static const struct option_spec options[] = {
    {"check-config", 0, NULL, "read the configuration, say what is wrong with it, and exit",
     option_flag, AT(check_config)},
    {"config", 0, "DIR", "where juggle.conf and conf.d are (" CONFIG_DIRECTORY_USUAL ")",
     option_string, AT(directory)},
    {"vendor-config", 0, "DIR", "the same of the vendor (" JUGGLE_VENDORDIR "/juggle)",
     option_string, AT(vendor_directory)},
    {"socket", 0, "PATH", "where to listen (" CLIENT_SOCKET ")", option_string, AT(socket)},
    {"state", 0, "DIR", "what outlives the service (/run/juggle/state)", option_string,
     AT(state_directory)},
    {"coordinate", 0, NULL, "serve one user's job by the socket that is standard input, then end",
     option_flag, AT(coordinate)},
    {"group", 0, "NAME", "whose members act on all jobs (juggle)", option_string, AT(group)},
    {0},
};

static const struct command_spec command = {
    .name = "juggled",
    .synopsis = "[options]",
    .summary = "Balances the jobs of a whole node: by rule, by request, by joining.",
    .options = options,
};

static int check_config(const struct settings *settings)
{
    struct config_problem problem;
    struct config *config;
    int cursor = 0;

    if (config_load(settings->vendor_directory, settings->directory, &config, &problem)) {
        complain(command.name, "%s", problem.text);
        return EXIT_FAILURE;
    }
    while (config_unused(config, &cursor, &problem))
        complain(command.name, "%s", problem.text);
    config_destroy(config);
    return EXIT_SUCCESS;
}

/* Uses the sockets that systemd has passed, otherwise opens one. Returns their number or -errno. */
static int listen_all(const struct settings *settings, int fds[LISTENERS_MAX])
{
    int count = sd_listen_fds(1);

    if (count > LISTENERS_MAX)
        return -E2BIG;
    for (int i = 0; i < count; i++) {
        fds[i] = SD_LISTEN_FDS_START + i;
        if (sd_is_socket_unix(fds[i], SOCK_STREAM, 1, NULL, 0) <= 0)
            return -ENOTSOCK;
        fcntl(fds[i], F_SETFL, O_RDWR | O_NONBLOCK);
    }
    if (count)
        return count;
    int error = runtime_make(settings->socket);
    if (!error)
        error = listener_open(settings->socket, SERVICE_SOCKET_MODE, &fds[0]);
    return error ? error : 1;
}

/* Each balanced thread needs an open file. */
static void files_allow(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit))
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static int serve(const struct service_options *wanted)
{
    struct config_problem problem;
    struct service *service;

    if (service_create(wanted, &service, &problem)) {
        log_tell(LOG_ERR, NULL, "%s", problem.text);
        return EXIT_FAILURE;
    }
    int error = service_run(service);
    service_destroy(service);
    if (error)
        log_tell(LOG_ERR, NULL, "%s", strerror(-error));
    return error ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int serve_node(const struct settings *settings)
{
    int listeners[LISTENERS_MAX];

    const bool passed = sd_listen_fds(0) > 0;
    const int count = listen_all(settings, listeners);

    if (count < 0) {
        complain(command.name, "cannot listen on %s: %s%s",
                 passed ? "what was passed (LISTEN_FDS)" : settings->socket, strerror(-count),
                 count == -EACCES ? ": see --socket and --state" : "");
        return EXIT_FAILURE;
    }
    const struct group *group = getgrnam(settings->group);
    if (!group && strcmp(settings->group, GROUP_USUAL) != 0)
        log_tell(LOG_WARNING, NULL,
                 "there is no group '%s': only root acts on the jobs of all users",
                 settings->group);
    const struct service_options node = {
        .listeners = listeners,
        .listeners_count = count,
        .socket = passed ? NULL : settings->socket,
        .vendor_directory = settings->vendor_directory,
        .directory = settings->directory,
        .state_directory = settings->state_directory,
        .admin_gid = group ? group->gr_gid : (gid_t)-1,
        .admin_group = settings->group,
    };

    return serve(&node);
}

/* Runs juggled --coordinate, which a joining process starts if there is no service
 * (libjuggle/join/coordinator.h). The coordinator is forked once more, so that it descends from
 * no process that joins. It closes all inherited descriptors, because somebody may wait for the
 * end of a pipe. */
static int coordinate(void)
{
    const int listener = STDIN_FILENO;
    const struct service_options own = {
        .listeners = &listener,
        .listeners_count = 1,
        .admin_gid = (gid_t)-1,
        .own_user_only = true,
        .ends_when_idle = true,
    };

    if (sd_is_socket_unix(listener, SOCK_STREAM, 1, NULL, 0) <= 0) {
        complain(command.name, "--coordinate: standard input is no listening socket");
        return EXIT_USAGE;
    }
    const pid_t child = fork();
    if (child)
        return child < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
    close_range(STDERR_FILENO + 1, ~0U, 0);
    if (setsid() < 0 || chdir("/"))
        return EXIT_FAILURE;
    return serve(&own);
}

/* A reload that is asked for while the service starts comes after that, and does not end it. */
static void hangup_hold(void)
{
    sigset_t held;

    sigemptyset(&held);
    sigaddset(&held, SIGHUP);
    sigprocmask(SIG_BLOCK, &held, NULL);
}

/* In bytes; a few pages. */
enum { LARGE_SIZE = 32 << 10 };

int main(int argc, char **argv)
{
    struct settings settings = {
        .socket = CLIENT_SOCKET,
        .directory = CONFIG_DIRECTORY_USUAL,
        .vendor_directory = JUGGLE_VENDORDIR "/juggle",
        .state_directory = RUNTIME_DIR "/state",
        .group = GROUP_USUAL,
    };
    int operands, exit_status;

    if (options_parse(&command, argc, argv, &settings, &operands, &exit_status))
        return exit_status;
    if (operands < argc) {
        complain(command.name, "unexpected argument '%s': see 'juggled --help'", argv[operands]);
        return EXIT_USAGE;
    }
    if (settings.check_config)
        return check_config(&settings);
    files_allow();
    /* Fixes malloc's threshold for mmap. Otherwise it grows when the first large block is freed,
     * later blocks come from the heap, and calloc has to clear all their pages, most of which
     * are never touched if there are few threads. */
    mallopt(M_MMAP_THRESHOLD, LARGE_SIZE);
    topology_spare_plugins();
    /* Ignores these signals, so that a file size limit or a client that has closed its
     * connection is only an error of write. */
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    hangup_hold();
    umask(022);
    return settings.coordinate ? coordinate() : serve_node(&settings);
}
