/* SPDX-License-Identifier: BSD-3-Clause */
/* Which MPI a command will use, by its launcher or by what its programs are linked with. */
#ifndef JUGGLE_WHICH_MPI_H
#define JUGGLE_WHICH_MPI_H

#include <stdbool.h>

enum mpi_kind { MPI_NONE, MPI_OPENMPI, MPI_MPICH, MPI_KINDS_COUNT };

/* Only so many words of a command are looked up: what follows are arguments, of which there may be
 * a hundred thousand. */
enum { WHICH_WORDS_MAX = 256 };

/* The first word of the command that is a launcher or a program linked with MPI decides: "mpirun
 * -n 3 ./app", "./app", "srun ./app". Scripts are not looked into. */
enum mpi_kind which_mpi(char *const *command);

/* Returns the MPI whose launcher the word names; the word is looked up like by execvp. */
enum mpi_kind which_launcher(const char *word);

/* True if a program among the words of the command needs a library whose name begins with
 * `library`, such as "libgomp.". */
bool which_needs(char *const *command, const char *library);

/* "openmpi" or "mpich", the names used in this source tree; NULL for MPI_NONE. */
const char *mpi_kind_name(enum mpi_kind kind);

#endif
