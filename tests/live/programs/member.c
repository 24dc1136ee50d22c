/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Joins the job NAME ("-" for the launcher's) COUNT times and computes until it reads a line. Then
 * it leaves as often, printing the mask of its thread each time, and computes until it reads
 * another line. Prints the reason if it cannot join. Its threads are pinned while they are
 * balanced.
 */
#include "libjuggle/juggle.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { JOINS_MAX = 4 };

static void compute_until_line(void)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    char line[16];

    while (poll(&input, 1, 0) == 0)
        for (volatile int i = 0; i < 100000; i++)
            ;
    if (!fgets(line, sizeof(line), stdin))
        exit(EXIT_SUCCESS);
}

static void print_mask(void)
{
    char line[512];
    FILE *status = fopen("/proc/thread-self/status", "re");

    while (status && fgets(line, sizeof(line), status))
        if (!strncmp(line, "Cpus_allowed_list:\t", 19))
            fputs(line + 19, stdout);
    if (status)
        fclose(status);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 && strcmp(argv[1], "-") ? argv[1] : NULL;
    const int count = argc > 2 ? atoi(argv[2]) : 1;
    const struct juggle_options options = {
        .size = sizeof(struct juggle_options), .threads = 3, .policy = "static"};
    struct juggle_membership *memberships[JOINS_MAX];
    struct juggle_error error;

    setvbuf(stdin, NULL, _IONBF, 0);
    for (int i = 0; i < count && i < JOINS_MAX; i++) {
        const int failed = juggle_join(name, &options, &memberships[i], &error);
        if (failed) {
            printf("%d: %s\n", failed, error.message);
            return EXIT_FAILURE;
        }
    }
    compute_until_line();
    for (int i = 0; i < count && i < JOINS_MAX; i++) {
        juggle_leave(memberships[i]);
        print_mask();
    }
    compute_until_line();
    return EXIT_SUCCESS;
}
