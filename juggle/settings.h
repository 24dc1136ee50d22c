/* SPDX-License-Identifier: BSD-3-Clause */
/* What the user asked for: the option table of juggle and the settings that it fills. */
#ifndef JUGGLE_SETTINGS_H
#define JUGGLE_SETTINGS_H

#include "juggle/files/output.h"
#include "juggle/report/report.h"
#include "libjuggle/join/join.h"
#include "libjuggle/wish/wish.h"

/* How a program is brought to wait politely, and to say that it waits. */
enum waiting_means {
    WAITING_AUTO,        /* by means that help here and harm nobody */
    WAITING_NONE,        /* not at all */
    WAITING_ENVIRONMENT, /* by variables that have runtimes sleep or yield */
    WAITING_PRELOAD,     /* by objects that are loaded, whether threads share processors or not */
};

/* How many threads runtimes are told to start; a positive value is the number on the node. */
enum { FIT_NONE = 0, FIT_AUTO = -1 };

/* The fewest that are sure to 95 %, see benchmark.h. */
enum { COMPARE_ROUNDS = 6 };

struct settings {
    struct wish wish;
    const char *pids; /* of --attach: balance these instead of starting a program; more may follow
                         as operands */
    struct {
        enum report_format format;
        bool asked; /* a format was named, by option or variable */
    } report;
    const char *paths[OUTPUTS_COUNT]; /* NULL: not written; the report goes to stderr */
    const char *live_tty;             /* "" for the terminal of stderr; NULL for no live view */
    const char *join;                 /* the job to join; "" for the launcher's; NULL for none */
    enum service_use service;
    enum waiting_means waiting;
    int fit;     /* or FIT_AUTO */
    int compare; /* rounds; 0: none */
    bool verbose;
    bool quiet;
    bool dry_run;
    bool explain;
    bool list; /* who balances what, instead */
    bool strict;
};

/* The option that no service can do, juggled or a coordinator, of those that are set; or NULL. */
const char *settings_unserved(const struct settings *settings);

/* A job names what is wrong by the setting, "cpus: ...": here that is an option, "--cpus: ...". */
void settings_name_option(char *problem, size_t size);

/* Fills the settings from the environment and argv; *operands is the index of the command, or of
 * further pids. When it fails juggle ends at once with *exit_status. */
int settings_read(int argc, char **argv, struct settings *settings, int *operands,
                  int *exit_status) MUST_CHECK;

#endif
