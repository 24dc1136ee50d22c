/* SPDX-License-Identifier: BSD-3-Clause */
/* The signals that juggle takes over while a program runs, and gives back to the program
 * untouched. */
#ifndef JUGGLE_COMMAND_SIGNALS_H
#define JUGGLE_COMMAND_SIGNALS_H

#include "libjuggle/ground/units.h"

#include <signal.h>
#include <stdbool.h>

/* All signals that juggle answers are blocked, so that no thread that is created later is
 * interrupted, and arrive at `fd` instead. */
struct signals {
    int fd;
    sigset_t inherited_mask;
    struct sigaction inherited_child;
    struct sigaction inherited_pipe;
    struct sigaction inherited_file_size;
};

struct signal_news {
    int number;
    /* The whole foreground group has it already. Not of SIGHUP and SIGCONT: of a terminal that hung
     * up the kernel sends them to the session's leader alone. */
    bool from_terminal;
    bool own;     /* for what juggle itself has used */
    bool ignored; /* by whoever started juggle, as nohup(1) does: nobody means to end it */
    pid_t sender; /* 0: the kernel, or a process that is not seen here */
    bool queued;  /* with a value */
    union sigval value;
};

/* The call that fails is named in any case. */
int signals_take(struct signals *signals, const char **call) MUST_CHECK;

/* In a child, before exec: the program starts with what juggle itself inherited. */
void signals_give_back(const struct signals *signals);

/* All that juggle answers. */
void signals_set(sigset_t *set);

/* Stops juggle as the terminal would; returns when it is continued. */
void signals_stop(void);

/* -EAGAIN when there is none. */
int signals_read(const struct signals *signals, struct signal_news *news) MUST_CHECK;

#endif
