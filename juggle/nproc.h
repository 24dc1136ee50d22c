/* SPDX-License-Identifier: BSD-3-Clause */
/* juggle nproc: how many threads are of use, and what limits them. */
#ifndef JUGGLE_NPROC_H
#define JUGGLE_NPROC_H

#include "libjuggle/linux/nproc.h"

#include <stdio.h>

/* `argv` begins with the word nproc. Returns juggle's exit status. */
int nproc_command(int argc, char **argv);

/* Prints one line for each limit. The limit that sets the count is marked. */
void nproc_print(const struct nproc *nproc, FILE *out);

#endif
