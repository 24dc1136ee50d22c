/* SPDX-License-Identifier: BSD-3-Clause */
/* Signals that a terminal sends while no program runs. */
#include "tests/lib/live.h"
#include "tests/lib/suite.h"

#include "juggle/command/trial.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* In a session of its own, whose terminal interrupts it between two runs. */
static bool is_interrupted(void)
{
    char *const argv[] = {"sleep", "5", NULL};
    char problem[PROGRAM_PROBLEM_SIZE];
    struct timed_run run = {0};
    struct trials trials;
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);

    /* The suite's own handler would end the suite. */
    signal(SIGINT, SIG_DFL);
    return setsid() > 0 && terminal >= 0 && !grantpt(terminal) && !unlockpt(terminal) &&
           open(ptsname(terminal), O_RDWR) >= 0 && !trials_begin(&trials) &&
           !ioctl(terminal, TIOCSIG, SIGINT) && !trial_run(&trials, argv, false, &run, problem) &&
           run.interrupted == SIGINT && run.death_signal == SIGINT;
}

START_TEST(an_interrupt_between_two_runs_ends_the_next)
{
    const pid_t pid = fork();

    if (pid == 0)
        _exit(is_interrupted() ? 0 : 1);
    child_expect_success(pid);
}

SUITE("trial")
