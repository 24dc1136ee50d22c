/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes text from outside safe for a terminal or a line of a log: names of threads, sections and
 * files, and output of other programs.
 *
 * All such text goes through here. Characters that could move the cursor, begin a line, change the
 * direction of writing or not be seen are shown as their bytes, "\x1b", and so are bytes that are
 * not UTF-8.
 */
#ifndef JUGGLE_CLI_FOREIGN_H
#define JUGGLE_CLI_FOREIGN_H

#include "libjuggle/linux/comm.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

enum {
    FOREIGN_TEXT_SIZE = 512,
    FOREIGN_LINE_SIZE = 8192,
    FOREIGN_COMM_SIZE = 4 * COMM_SIZE, /* nothing of a name is cut off */
};

/* The text of another program, in a type of its own, as struct comm, so that it is not printed by
 * accident. */
struct foreign {
    const char *untrusted;
};

/* Writes the safe text to `shown`, and returns that. The end that does not fit is cut off, never
 * within a character. */
char *foreign_text(const char *text, char *shown, size_t size);

/* Writes what printf would write, as safe text. */
char *foreign_format(char shown[FOREIGN_LINE_SIZE], const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/* Prints a line with reasons, paths or settings in it. Whatever text they hold, it stays one
 * line. */
void foreign_line(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The safe text of a struct comm or a struct foreign, which is valid until the end of the block. */
#define FOREIGN(thing) \
    foreign_text((thing).untrusted, (char[FOREIGN_TEXT_SIZE]){0}, FOREIGN_TEXT_SIZE)

#endif
