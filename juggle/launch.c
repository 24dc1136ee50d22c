/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/launch.h"

#include "juggle/balance.h"
#include "juggle/not_run.h"
#include "juggle/program.h"
#include "juggle/waiting.h"
#include "libjuggle/cli/options.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Each balanced thread costs an open file. The program, which is forked already, keeps its limit.
 */
static void files_allow(void)
{
    struct rlimit limit;

    if (!getrlimit(RLIMIT_NOFILE, &limit)) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static void signals_serve(struct signals *signals, struct program *program)
{
    struct signal_news news;

    while (!signals_read(signals, &news)) {
        if (news.number == SIGCHLD)
            program_reap(program);
        else
            program_signal(program, &news);
    }
}

static int run(struct balance *balance, struct program *program, char *const *command,
               struct signals *signals)
{
    int error = program_release(program);

    if (error)
        return not_run_tell(command[0], error);
    balance_begin(balance);
    while (!program->ended) {
        /* The program's end is told by its own signal, not by what can be balanced. */
        (void)!balance_wait(balance, signals);
        signals_serve(signals, program);
        if (program->stopped) {
            balance_suspend(balance);
            program_follow_stop(program);
        }
    }
    /* A lost report hides behind no failure of the program. */
    if (balance_finish(balance, command, program) && program->exit_status == 0)
        return EXIT_JUGGLE_FAILED;
    return program->exit_status;
}

static int balance_and_run(const struct settings *settings, const struct waiting *waiting,
                           struct program *program, char *const *command, struct signals *signals)
{
    const pid_t self = getpid();
    const struct balance_subject subject = {
        .roots = &self, .roots_count = 1, .helper = program->witness.pid};
    int status = EXIT_JUGGLE_FAILED;
    struct balance *balance;

    if (balance_create(settings, &balance))
        return status;
    balance_listen(balance, waiting);
    int error = balance_delegate(balance, program->pid);
    if (error == -EAGAIN)
        error = balance_start(balance, &subject);
    if (error == -EINVAL)
        status = EXIT_USAGE;
    else if (!error || !settings->strict)
        status = run(balance, program, command, signals);
    balance_destroy(balance);
    return status;
}

int launch(const struct settings *settings, char *const *command)
{
    struct signals signals;
    struct program program;
    struct waiting *waiting = NULL;

    int error = signals_take(&signals);
    if (!error)
        error = waiting_create(settings, command, true, &waiting);
    if (!error) {
        waiting_apply(waiting);
        error = program_start(command, &signals, &program);
    }
    if (error) {
        waiting_destroy(waiting);
        complain("juggle", "cannot start '%s': %s", command[0], strerror(-error));
        return EXIT_JUGGLE_FAILED;
    }
    files_allow();
    const int status = balance_and_run(settings, waiting, &program, command, &signals);
    waiting_destroy(waiting);
    program_destroy(&program);
    program_die_alike(&program);
    return status;
}
