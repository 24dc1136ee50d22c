/* SPDX-License-Identifier: BSD-3-Clause */
/* The signals that juggle takes over while a program runs; the program gets them back unchanged. */
#ifndef JUGGLE_COMMAND_SIGNALS_H
#define JUGGLE_COMMAND_SIGNALS_H

#include "libjuggle/ground/units.h"

#include <signal.h>
#include <stdbool.h>

/* All signals that juggle handles are blocked and arrive at `fd` instead, so that they interrupt
 * no thread that is created later. */
struct signals {
    int fd;
    sigset_t inherited_mask;
    struct sigaction inherited_child;
    struct sigaction inherited_pipe;
    struct sigaction inherited_file_size;
};

struct signal_news {
    int number;
    /* The whole foreground process group has got it. Never true of SIGHUP and SIGCONT: when a
     * terminal hangs up, the kernel sends them to the session leader alone. */
    bool from_terminal;
    bool own; /* of juggle itself: SIGXCPU for its processor time, SIGPIPE or SIGXFSZ for what it
                 has written */
    bool ignored; /* the process that started juggle ignores it, as nohup(1) does: it is not meant
                     to end juggle */
    pid_t sender; /* 0: the kernel, or a process outside of this PID namespace */
    bool queued;  /* sent by sigqueue, with a value */
    union sigval value;
};

/* Blocks the signals and opens `fd`. -errno; *call names the system call that failed. */
int signals_take(struct signals *signals, const char **call) MUST_CHECK;

/* Called in a child before exec: restores the mask and actions that juggle inherited. */
void signals_give_back(const struct signals *signals);

/* Fills the set with all signals that juggle handles. */
void signals_set(sigset_t *set);

/* Stops juggle as the terminal would; returns when juggle is continued. */
void signals_stop(void);

/* Reads one signal. -EAGAIN if none is pending. */
int signals_read(const struct signals *signals, struct signal_news *news) MUST_CHECK;

#endif
