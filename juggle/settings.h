/* SPDX-License-Identifier: BSD-3-Clause */
/* What the user asked for: the option table of juggle and the settings that it fills. */
#ifndef JUGGLE_SETTINGS_H
#define JUGGLE_SETTINGS_H

#include "juggle/files/output.h"
#include "juggle/report/report.h"
#include "libjuggle/join/join.h"
#include "libjuggle/wish/wish.h"

/* How a program is made to wait without spinning, and to say that it waits. */
enum waiting_means {
    WAITING_AUTO,        /* by all means that help here and do no harm */
    WAITING_NONE,        /* not at all */
    WAITING_ENVIRONMENT, /* by variables that make runtimes sleep or yield */
    WAITING_PRELOAD,     /* by preloaded objects, whether or not threads share processors */
};

/* How many threads runtimes are told to start; a positive value is the number on the node. */
enum { FIT_NONE = 0, FIT_AUTO = -1 };

/* The smallest number of rounds that reaches a confidence of 95 %; see benchmark.h. */
enum { COMPARE_ROUNDS = 6 };

struct settings {
    struct wish wish;
    const char *pids; /* of --attach: the programs to balance instead of starting one; more may
                         follow as operands */
    struct {
        enum report_format format;
        bool asked; /* the user named a format, by option or variable */
    } report;
    const char *paths[OUTPUTS_COUNT]; /* NULL: not written; the report goes to stderr */
    const char *live_tty;             /* "" for the terminal of stderr; NULL for no live view */
    const char *join;                 /* the job to join; "" for the launcher's; NULL for none */
    enum service_use service;
    enum waiting_means waiting;
    int fit;     /* or FIT_AUTO */
    int compare; /* number of rounds; 0: no comparison */
    bool verbose;
    bool quiet;
    bool dry_run;
    bool explain;
    bool list; /* only print which process balances which */
    bool strict;
};

/* Returns the name of an option that is set and that no service can do, neither juggled nor a
 * coordinator; or NULL. */
const char *settings_unserved(const struct settings *settings);

/* A job names the setting that is wrong, "cpus: ...". Changes that into the name of the option,
 * "--cpus: ...". */
void settings_name_option(char *problem, size_t size);

/* Fills the settings from the environment and argv. *operands is the index of the command, or of
 * further pids. When it fails juggle has to end at once with *exit_status. */
int settings_read(int argc, char **argv, struct settings *settings, int *operands,
                  int *exit_status) MUST_CHECK;

#endif
