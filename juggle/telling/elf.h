/* SPDX-License-Identifier: BSD-3-Clause */
/* What the file of a program says of itself to the dynamic linker. Nothing in it is trusted. */
#ifndef JUGGLE_ELF_H
#define JUGGLE_ELF_H

#include <stdbool.h>
#include <stddef.h>

/* True if the program, one for this machine, wants a library whose name begins so. */
bool elf_needs(const char *image, size_t size, const char *prefix);

#endif
