/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/nproc.h"

#include "juggle/command/program.h"
#include "cli/foreign.h"
#include "cli/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct nproc_options {
    bool explain;
    bool cores;
    bool fast;
};

static const char *const kinds[] = {"all", "fast"};
OPTION_WORD(option_kind, bool, kinds, "fast or all")

#define AT(member) offsetof(struct nproc_options, member)

static const struct option_spec options[] = {
    {"explain", 0, NULL, "show each limit, where it is told, and which one sets the number",
     option_flag, AT(explain)},
    {"cores", 0, NULL, "count siblings on one core once", option_flag, AT(cores)},
    {"kind", 0, "KIND", "fast for the fastest kind of processors alone, or all (all)", option_kind,
     AT(fast)},
    {0},
};

static const struct command_spec command = {
    .name = "juggle nproc",
    .synopsis = "[options]",
    .summary = "Prints how many threads are of use here.",
    .exit_failed = EXIT_JUGGLE_FAILED,
    .options = options,
};

void nproc_print(const struct nproc *nproc, FILE *out)
{
    for (int kind = 0; kind < NPROC_LIMITS_COUNT; kind++) {
        const struct nproc_limit *limit = &nproc->limits[kind];
        const bool sets = limit->count && nproc->set_by == (enum nproc_limit_kind)kind;
        if (!*limit->detail)
            continue;
        fprintf(out, "%c %-9s", sets ? '*' : ' ', nproc_limit_name((enum nproc_limit_kind)kind));
        if (limit->count)
            fprintf(out, "%5d", limit->count);
        else
            fprintf(out, "%5s", "-");
        foreign_line(out, "  %s: %s", limit->path, limit->detail);
    }
}

static int print_choice(const struct nproc_options *choice)
{
    struct nproc *read = malloc(sizeof(*read)); /* 32 KB */

    if (!read)
        return -ENOMEM;
    nproc_read_own(choice->cores, choice->fast, read);
    if (choice->explain)
        nproc_print(read, stdout);
    else
        printf("%d\n", read->count);
    free(read);
    return stdout_flush();
}

int nproc_command(int argc, char **argv)
{
    struct nproc_options choice = {0};
    int operands, exit_status;

    if (options_parse(&command, argc, argv, &choice, &operands, &exit_status))
        return exit_status;
    if (operands < argc) {
        complain(command.name, "'%s' is one word too many: 'juggle -- nproc' runs nproc(1)",
                 argv[operands]);
        return EXIT_USAGE;
    }
    const int error = print_choice(&choice);
    if (error) {
        complain(command.name, "cannot print: %s", strerror(-error));
        return EXIT_JUGGLE_FAILED;
    }
    return 0;
}
