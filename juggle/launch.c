/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/actions.h"

#include "juggle/balance.h"
#include "juggle/command/not_run.h"
#include "juggle/command/program.h"
#include "juggle/prepare/waiting.h"
#include "cli/options.h"
#include "libjuggle/linux/problem.h"
#include "libjuggle/waiting/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_BEGUN = -1 };

static int run(struct balance *balance, struct program *program, char *const *command,
               struct signals *signals)
{
    (void)program_serve(program, signals);
    int error = program_release(program);
    if (error)
        return not_run_tell(command[0], error);
    balance_begin(balance);
    while (!program->ended) {
        /* The end of the program is reported by SIGCHLD, not by the absence of threads to
         * balance. */
        (void)!balance_wait(balance, signals);
        (void)program_serve(program, signals);
        if (program->stopped) {
            balance_suspend(balance);
            program_follow_stop(program);
        }
    }
    /* Kills the witness now, so that it dies while the masks are given back. */
    witness_dismiss(&program->witness);
    /* If the report is lost, juggle's status says so, unless the program failed itself. */
    if (balance_finish(balance, command, program) && program->exit_status == 0)
        return EXIT_JUGGLE_FAILED;
    return program->exit_status;
}

/* Returns the exit status, or NOT_BEGUN if there is no memory; then the program still waits at
 * its gate. */
static int balance_and_run(const struct settings *settings, const struct waiting *waiting,
                           struct program *program, char *const *command, struct signals *signals)
{
    const pid_t self = getpid();
    const struct balance_subject subject = {
        .roots = &self, .roots_count = 1, .helper = program->witness.pid};
    int status = EXIT_JUGGLE_FAILED;
    struct balance *balance;

    int error = balance_create(settings, waiting, &balance);
    if (error == -ENOMEM)
        return NOT_BEGUN;
    if (error)
        return error == -EEXIST ? EXIT_USAGE : status;
    error = balance_delegate(balance, program->pid, &subject);
    if (error == -EAGAIN)
        error = balance_start(balance, &subject);
    if (error == -EINVAL)
        status = EXIT_USAGE;
    else if (!error || !settings->strict)
        status = run(balance, program, command, signals);
    balance_destroy(balance);
    return status;
}

/* Executes the command in juggle's place, when juggle cannot run it as its child. It is neither
 * balanced nor reported, but it runs. */
static int become(const struct settings *settings, char *const *command, const char *problem)
{
    if (!settings->quiet || settings->strict)
        complain("juggle", "cannot balance: %s%s", problem,
                 settings->strict ? "" : ": running the program without balancing or a report");
    if (settings->strict)
        return EXIT_JUGGLE_FAILED;
    unsetenv(PAGE_VARIABLE);
    execvp(command[0], command);
    return not_run_tell(command[0], -errno);
}

int launch(const struct settings *settings, char *const *command)
{
    char problem[PROGRAM_PROBLEM_SIZE];
    struct signals signals;
    struct program program;
    const char *call;

    int error = signals_take(&signals, &call);
    if (error) {
        problem_of(problem, sizeof(problem), error, "cannot handle signals (%s)", call);
        return become(settings, command, problem);
    }
    struct waiting *waiting = waiting_tell(settings, command, true);
    if (program_start(command, &signals, NULL, &program, problem)) {
        waiting_destroy(waiting);
        signals_give_back(&signals);
        return become(settings, command, problem);
    }
    if (program.adoption_error && !settings->quiet)
        complain("juggle", "orphans of the program are not balanced: prctl: %s",
                 strerror(-program.adoption_error));
    const int status = balance_and_run(settings, waiting, &program, command, &signals);
    waiting_destroy(waiting);
    program_destroy(&program);
    if (status == NOT_BEGUN) {
        waitpid(program.pid, NULL, 0);
        signals_give_back(&signals);
        problem_of(problem, sizeof(problem), -ENOMEM, "no memory for balancing");
        return become(settings, command, problem);
    }
    program_die_alike(&program);
    return status;
}
