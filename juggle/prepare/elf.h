/* SPDX-License-Identifier: BSD-3-Clause */
/* The libraries that a program's file names for the dynamic linker. Nothing in the file is
 * trusted. */
#ifndef JUGGLE_ELF_H
#define JUGGLE_ELF_H

#include <stdbool.h>
#include <stddef.h>

/* True if `image` is a program for this machine that needs a library whose name begins with
 * `prefix`. */
bool elf_needs(const char *image, size_t size, const char *prefix);

#endif
