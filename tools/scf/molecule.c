/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 0 makes each new density, so that all ranks continue with the same one, to the last bit. */
#include "tools/scf/molecule.h"

#include "cli/options.h"
#include "tools/iterate/replacement.h"
#include "tools/scf/survey.h"

#include <errno.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { ATOM_AREA = CHAIN_FUNCTIONS_PER_ATOM * CHAIN_FUNCTIONS_PER_ATOM, ATOM_ITERATIONS = 50 };

/* Precise enough for a first guess, and coarse enough to converge. */
static const double ATOM_CUTOFF = 1e-12, ATOM_ERROR = 1e-8;

int molecule_create(const struct settings *settings, struct molecule *molecule)
{
    struct molecule new = {.settings = settings, .boys = boys_create()};
    int error = new.boys ? chain_create(settings->atoms, &new.chain) : -ENOMEM;

    if (!error)
        error = pairs_create(&new.chain, settings->tile, settings->cutoff, &new.pairs);
    if (error < 0) {
        molecule_destroy(&new);
        return error;
    }
    *molecule = new;
    molecule->pairs.chain = &molecule->chain;
    return 0;
}

void molecule_destroy(struct molecule *molecule)
{
    free(molecule->two_electron);
    scf_destroy(&molecule->scf);
    fock_destroy(&molecule->fock);
    pairs_destroy(&molecule->pairs);
    chain_destroy(&molecule->chain);
    boys_destroy(molecule->boys);
}

/* ---- the first density --------------------------------------------------------------------- */

static int atom_iterate(const struct boys *boys, const struct pairs *pairs, struct scf *scf)
{
    static const struct quadruple whole = {0, 0, 0, 0};
    double two_electron[ATOM_AREA];
    struct fock fock;
    int result = fock_create(pairs, boys, 1, &fock);

    if (result < 0)
        return result;
    scf->error = 1;
    for (int i = 0; i < ATOM_ITERATIONS && scf->error > ATOM_ERROR && result == 0; i++) {
        fock_begin(&fock, scf->density);
        (void)fock_execute(&fock, 0, &whole);
        fock_end(&fock, two_electron);
        result = scf_advance(scf, two_electron);
    }
    fock_destroy(&fock);
    return result;
}

/* Computes the density of a single atom. */
static int atom_density(const struct boys *boys, double density[ATOM_AREA])
{
    struct chain atom;
    struct pairs pairs = {0};
    struct scf scf = {0};
    int error = chain_create(1, &atom);

    if (error < 0)
        return error;
    error = pairs_create(&atom, CHAIN_FUNCTIONS_PER_ATOM, ATOM_CUTOFF, &pairs);
    if (!error)
        error = scf_create(&atom, boys, &scf);
    if (!error)
        error = atom_iterate(boys, &pairs, &scf);
    if (!error)
        memcpy(density, scf.density, ATOM_AREA * sizeof(*density));
    scf_destroy(&scf);
    pairs_destroy(&pairs);
    chain_destroy(&atom);
    return error;
}

/* ---- the application ----------------------------------------------------------------------- */

static int molecule_open(void *context, int workers_count)
{
    struct molecule *molecule = context;
    double density[ATOM_AREA];
    const size_t side = (size_t)molecule->chain.functions_count;
    int error;

    molecule->two_electron = malloc(side * side * sizeof(*molecule->two_electron));
    if (!molecule->two_electron)
        return -ENOMEM;
    error = fock_create(&molecule->pairs, molecule->boys, workers_count, &molecule->fock);
    if (!error)
        error = scf_create(&molecule->chain, molecule->boys, &molecule->scf);
    if (!error)
        error = atom_density(molecule->boys, density);
    if (!error)
        scf_begin(&molecule->scf, density);
    return error;
}

static void molecule_begin(void *context)
{
    struct molecule *molecule = context;

    fock_begin(&molecule->fock, molecule->scf.density);
}

static bool molecule_execute(void *context, int worker, int64_t task)
{
    struct molecule *molecule = context;
    const struct quadruple quadruple = quadruple_at(&molecule->pairs, task);

    return fock_execute(&molecule->fock, worker, &quadruple);
}

/* Sums up the parts of all ranks on rank 0, which advances the field and broadcasts the result. */
static int molecule_end(void *context, struct steal_runtime *runtime, bool *done)
{
    struct molecule *molecule = context;
    struct scf *scf = &molecule->scf;
    const int area = scf->size * scf->size;
    double news[3] = {0}; /* status, energy, error */

    fock_end(&molecule->fock, molecule->two_electron);
    if (steal_rank(runtime) == 0) {
        MPI_Reduce(MPI_IN_PLACE, molecule->two_electron, area, MPI_DOUBLE, MPI_SUM, 0,
                   MPI_COMM_WORLD);
        news[0] = scf_advance(scf, molecule->two_electron);
        news[1] = scf->energy;
        news[2] = scf->error;
    } else {
        MPI_Reduce(molecule->two_electron, NULL, area, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    }
    MPI_Bcast(news, ARRAY_COUNT(news), MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Bcast(scf->density, area, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    scf->energy = news[1];
    scf->error = news[2];
    *done = scf->error < molecule->settings->convergence;
    return (int)news[0];
}

struct application molecule_application(struct molecule *molecule)
{
    return (struct application){
        .program = molecule->settings->program,
        .tasks_count = quadruples_count(&molecule->pairs),
        .context = molecule,
        .open = molecule_open,
        .begin = molecule_begin,
        .execute = molecule_execute,
        .end = molecule_end,
    };
}

/* ---- looking only -------------------------------------------------------------------------- */

/* Makes the survey, and writes the durations that tasks would have to a file if one is named. */
static int look(const struct molecule *molecule, struct survey *survey)
{
    const bool progress = molecule->settings->iterate.progress;
    const char *path = molecule->settings->iterate.durations;
    struct replacement file;
    int error;

    error = path ? replacement_open(path, &file)
                 : survey_make(&molecule->pairs, progress, NULL, survey);
    if (error == 0 && path) {
        error = survey_make(&molecule->pairs, progress, file.stream, survey);
        if (error < 0)
            replacement_drop(&file);
        else
            error = replacement_commit(&file);
    }
    if (error < 0)
        complain(molecule->settings->program, "%s: %s", path ? path : "--dry-run",
                 strerror(-error));
    return error;
}

int molecule_survey(const struct molecule *molecule)
{
    struct survey survey;
    const int error = look(molecule, &survey);

    if (error < 0)
        return error;
    printf(molecule->settings->iterate.json
               ? "{\"tasks_count\": %" PRId64 ", \"tasks_surviving\": %" PRId64
                 ", \"tasks_executed\": %" PRId64 ", \"integrals\": %" PRId64
                 ", \"longest_over_mean\": %.3f}\n"
               : "%" PRId64 " quadruples of tiles, %" PRId64 " survive screening, %" PRId64
                 " of these stand for the others\n%" PRId64
                 " integrals, the most of one task %.3f times the mean\n",
           quadruples_count(&molecule->pairs), survey.surviving, survey.executed, survey.integrals,
           (double)survey.longest * (double)survey.executed / (double)max_i64(survey.integrals, 1));
    return stdout_finish(molecule->settings->program);
}
