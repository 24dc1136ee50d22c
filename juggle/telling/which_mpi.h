/* SPDX-License-Identifier: BSD-3-Clause */
/* Which MPI a command will use, by its launcher or by what its programs are linked with. */
#ifndef JUGGLE_WHICH_MPI_H
#define JUGGLE_WHICH_MPI_H

#include <stdbool.h>

enum mpi_kind { MPI_NONE, MPI_OPENMPI, MPI_MPICH, MPI_KINDS_COUNT };

/* Its own words decide, from the first on: "mpirun -n 3 ./app", "./app", "srun ./app". A script is
 * not looked into. */
enum mpi_kind which_mpi(char *const *command);

/* Which MPI's launcher a word names, as execvp would find it. */
enum mpi_kind which_launcher(const char *word);

/* Whether a program among its words wants a library whose name begins so, "libgomp.". */
bool which_needs(char *const *command, const char *library);

/* "openmpi", "mpich", as this tree calls them; NULL for MPI_NONE. */
const char *mpi_kind_name(enum mpi_kind kind);

#endif
