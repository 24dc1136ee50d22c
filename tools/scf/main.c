/* SPDX-License-Identifier: BSD-3-Clause */
/* scf: Hartree-Fock of a chain of beryllium atoms, by tasks. */
#include "cli/launched.h"
#include "tools/iterate/blas.h"
#include "tools/iterate/report.h"
#include "tools/scf/molecule.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ENERGY_DECIMALS = 11 };

static int compute(const struct settings *settings, struct molecule *molecule)
{
    const struct application application = molecule_application(molecule);
    struct run run;
    bool is_root = false;
    int result = application_run(&application, &settings->iterate, &run, &is_root);

    if (result == 0 && is_root) {
        const struct application_result outcome = {"energy", molecule->scf.energy, ENERGY_DECIMALS};

        result = report_print(&application, &settings->iterate, &run, &outcome);
        if (result == 0)
            result = run.export_error;
        if (result == 0 && settings->convergence > 0 &&
            molecule->scf.error >= settings->convergence) {
            complain(settings->program,
                     "not converged: the error is %.1e after %d iterations, see --iterations",
                     molecule->scf.error, run.iterations_count);
            result = -ETIME;
        }
    }
    run_destroy(&run);
    return result;
}

int main(int argc, char **argv)
{
    struct settings settings;
    struct molecule molecule;
    int exit_status;

    blas_alone();
    if (settings_parse(argc, argv, &settings, &exit_status))
        return exit_status;
    int error = molecule_create(&settings, &molecule);
    if (error < 0) {
        if (launched_rank() == 0)
            complain(settings.program, "%d atoms: %s", settings.atoms, strerror(-error));
        return launched_fail(EXIT_FAILURE);
    }
    if (!settings.iterate.dry_run)
        error = compute(&settings, &molecule);
    else if (launched_rank() == 0)
        error = molecule_survey(&molecule);
    molecule_destroy(&molecule);
    return launched_fail(exit_status_of(error));
}
