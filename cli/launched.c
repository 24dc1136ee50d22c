/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/launched.h"

#include <stdlib.h>
#include <time.h>

/* The time that rank 0 has to say what is wrong. */
enum { HEARING_S = 2 };

int launched_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};

    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        const char *text = getenv(names[i]);

        if (text)
            return atoi(text);
    }
    return 0;
}

int launched_fail(int exit_status)
{
    const struct timespec hearing = {.tv_sec = HEARING_S};

    if (exit_status != EXIT_SUCCESS && launched_rank() > 0)
        nanosleep(&hearing, NULL);
    return exit_status;
}

int launched_parse(const struct command_spec *command, int argc, char **argv, void *settings,
                   int (*check)(void *settings), int *exit_status)
{
    FILE *const heard_out = stdout, *const heard_err = stderr;
    FILE *silence = launched_rank() > 0 ? fopen("/dev/null", "w") : NULL;

    if (silence)
        stdout = stderr = silence;
    int error = options_parse(command, argc, argv, settings, NULL, exit_status);
    if (!error) {
        *exit_status = EXIT_USAGE;
        error = check(settings);
    }
    if (silence) {
        stdout = heard_out;
        stderr = heard_err;
        fclose(silence);
    }
    if (error)
        *exit_status = launched_fail(*exit_status);
    return error;
}
