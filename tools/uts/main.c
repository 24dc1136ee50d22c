/* SPDX-License-Identifier: BSD-3-Clause */
/* uts: the Unbalanced Tree Search benchmark. */
#include "cli/launched.h"
#include "libjuggle/linux/clock.h"
#include "tools/uts/parallel.h"
#include "tools/uts/report.h"
#include "tools/uts/sequential.h"
#include "tools/uts/settings.h"

#include <stdlib.h>
#include <string.h>

/* Searches in one thread; in a parallel run only in the process of rank 0. */
static int search_alone(const struct settings *settings, struct result *result, bool *root)
{
    *root = launched_rank() == 0;
    if (!*root)
        return 0;
    const int64_t start_ns = clock_now_ns();
    const int error = sequential_search(&settings->tree, settings->hasher, &result->census);
    if (error)
        complain(settings->program, "the stack of inner nodes: %s", strerror(-error));
    result->elapsed_ns = clock_now_ns() - start_ns;
    result->ranks_count = result->threads_count = 1;
    for (int part = 0; part < STEAL_REPORT_PARTS; part++)
        result->report.occupancy[part] = 1;
    return error;
}

int main(int argc, char **argv)
{
    struct settings settings;
    struct result result = {0};
    bool root = false;
    int exit_status;

    if (settings_parse(argc, argv, &settings, &exit_status))
        return exit_status;
    const int error = (settings.sequential ? search_alone : parallel_search)(&settings, &result,
                                                                             &root);
    if (error)
        return launched_fail(exit_status_of(error));
    return root && result_print(&settings, &result) ? EXIT_FAILURE : EXIT_SUCCESS;
}
