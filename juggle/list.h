/* SPDX-License-Identifier: BSD-3-Clause */
/* juggle --list: which processes are balanced, and by whom. */
#ifndef JUGGLE_LIST_H
#define JUGGLE_LIST_H

/* Prints them on stdout; returns the exit status. */
int list(void);

#endif
