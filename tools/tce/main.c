/* SPDX-License-Identifier: BSD-3-Clause */
/* tce: a tensor contraction by tiles. */
#include "cli/launched.h"
#include "tools/iterate/blas.h"
#include "tools/iterate/options.h"
#include "tools/iterate/report.h"
#include "tools/tce/tensors.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { CHECKSUM_DECIMALS = 6, LINE = 64 };

struct settings {
    struct iterate_options iterate;
    double scale;
};

#define TARGET(member) offsetof(struct settings, member)

static const struct option_spec options[] = {
    {"scale", 's', "FACTOR", "size of the outer dimensions; 1 is the published size (0.1)",
     option_real, TARGET(scale)},
    ITERATE_OPTIONS(struct settings),
    {0},
};

static const struct command_spec command = {
    .name = "tce",
    .synopsis = "[options]",
    .summary = "Contracts two block-sparse tensors by tiles, with the ranks of an MPI program.",
    .options = options,
};

/* ---- the application ----------------------------------------------------------------------- */

/* The data of a worker, on cache lines of its own, so that workers do not share lines. */
struct worker {
    _Alignas(LINE) struct tensors_room room;
    int64_t checksum;
};

struct product {
    struct contraction contraction;
    int workers_count;
    struct worker *worker;
    int64_t checksum; /* of the latest iteration, over all ranks */
};

static int product_open(void *context, int workers_count)
{
    struct product *product = context;

    product->worker = aligned_alloc(LINE, (size_t)workers_count * sizeof(*product->worker));
    if (!product->worker)
        return -ENOMEM;
    memset(product->worker, 0, (size_t)workers_count * sizeof(*product->worker));
    product->workers_count = workers_count;
    for (int w = 0; w < workers_count; w++)
        if (tensors_room_create(&product->worker[w].room))
            return -ENOMEM;
    return 0;
}

static void product_begin(void *context)
{
    struct product *product = context;

    for (int w = 0; w < product->workers_count; w++)
        product->worker[w].checksum = 0;
}

static bool product_execute(void *context, int worker_index, int64_t task)
{
    struct product *product = context;
    struct worker *worker = &product->worker[worker_index];

    worker->checksum += tensors_execute(&product->contraction, task, &worker->room);
    return true;
}

static int product_end(void *context, struct steal_runtime *runtime, bool *done)
{
    struct product *product = context;

    *done = false;
    product->checksum = 0;
    for (int w = 0; w < product->workers_count; w++)
        product->checksum += product->worker[w].checksum;
    return steal_sum(runtime, &product->checksum, 1);
}

static void product_destroy(struct product *product)
{
    for (int w = 0; w < product->workers_count; w++)
        tensors_room_destroy(&product->worker[w].room);
    free(product->worker);
    contraction_destroy(&product->contraction);
}

/* ---- the program --------------------------------------------------------------------------- */

static int check(void *parsed)
{
    const struct settings *settings = parsed;

    if (settings->scale <= 0 || settings->scale > 1) {
        complain(command.name, "--scale: %g is not usable: expected a factor above 0, up to 1",
                 settings->scale);
        return -EINVAL;
    }
    if (settings->iterate.dry_run && settings->iterate.durations) {
        complain(command.name, "--export-durations cannot be combined with --dry-run");
        return -EINVAL;
    }
    return iterate_options_check(command.name, &settings->iterate);
}

static int compute(const struct settings *settings, struct product *product)
{
    const struct application application = {
        .program = command.name,
        .tasks_count = product->contraction.tasks_count,
        .context = product,
        .open = product_open,
        .begin = product_begin,
        .execute = product_execute,
        .end = product_end,
    };
    struct run run;
    bool is_root = false;

    if (settings->iterate.dry_run)
        return launched_rank() > 0 ? 0 : report_dry_run(&application, settings->iterate.json);
    int error = application_run(&application, &settings->iterate, &run, &is_root);
    if (error == 0 && is_root) {
        const struct application_result outcome = {"checksum", tensors_checksum(product->checksum),
                                                   CHECKSUM_DECIMALS};

        error = report_print(&application, &settings->iterate, &run, &outcome);
        if (!error)
            error = run.export_error;
    }
    run_destroy(&run);
    return error;
}

int main(int argc, char **argv)
{
    struct settings settings = {.scale = 0.1};
    struct product product = {0};
    int exit_status;

    blas_alone();
    iterate_options_init(&settings.iterate);
    if (launched_parse(&command, argc, argv, &settings, check, &exit_status))
        return exit_status;
    int error = contraction_create(settings.scale, &product.contraction);
    if (error < 0 && launched_rank() == 0)
        complain(command.name, "a contraction at scale %g: %s", settings.scale, strerror(-error));
    if (!error)
        error = compute(&settings, &product);
    product_destroy(&product);
    return launched_fail(exit_status_of(error));
}
