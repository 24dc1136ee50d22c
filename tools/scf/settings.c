/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/scf/settings.h"

#include "cli/launched.h"
#include "tools/iterate/options.h"
#include "tools/scf/chain.h"
#include "tools/scf/pairs.h"

#include <errno.h>

#define TARGET(member) offsetof(struct settings, member)

static const struct option_spec options[] = {
    {"atoms", 'n', "COUNT", "beryllium atoms of the chain (16)", option_count, TARGET(atoms)},
    {"tile", 't', "COUNT", "basis functions of a tile, fifteen an atom (15)", option_count,
     TARGET(tile)},
    {"cutoff", 0, "BOUND", "integrals that cannot be greater are left out (1e-6)", option_real,
     TARGET(cutoff)},
    {"convergence", 0, "ERROR", "error of the field below which the iterations end (1e-7)",
     option_real, TARGET(convergence)},
    ITERATE_OPTIONS(struct settings),
    {0},
};

static const struct command_spec command = {
    .name = "scf",
    .synopsis = "[options]",
    .summary = "Computes the energy of a chain of beryllium atoms by Hartree-Fock, with the ranks "
               "of an MPI program.",
    .options = options,
};

static int check(void *parsed)
{
    const struct settings *settings = parsed;

    if (settings->atoms > CHAIN_ATOMS_MAX) {
        complain(command.name, "--atoms: %d are too many: expected 1 to %d", settings->atoms,
                 CHAIN_ATOMS_MAX);
        return -EINVAL;
    }
    if (settings->tile > TILE_MAX) {
        complain(command.name, "--tile: %d are too many: expected 1 to %d", settings->tile,
                 TILE_MAX);
        return -EINVAL;
    }
    if (ceil_div(settings->atoms * CHAIN_FUNCTIONS_PER_ATOM, settings->tile) > TILES_MAX) {
        complain(command.name,
                 "--tile: %d is too few for %d atoms: expected at most %d tiles of it",
                 settings->tile, settings->atoms, TILES_MAX);
        return -EINVAL;
    }
    if (settings->cutoff <= 0) {
        complain(command.name, "--cutoff: expected a bound above 0, such as 1e-6");
        return -EINVAL;
    }
    return iterate_options_check(command.name, &settings->iterate);
}

int settings_parse(int argc, char **argv, struct settings *settings, int *exit_status)
{
    *settings = (struct settings){
        .program = command.name, .atoms = 16, .tile = 15, .cutoff = 1e-6, .convergence = 1e-7};
    iterate_options_init(&settings->iterate);
    return launched_parse(&command, argc, argv, settings, check, exit_status);
}
