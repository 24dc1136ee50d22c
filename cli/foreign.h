/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Text that strangers chose, for a terminal or a line of a log: names of threads, sections and
 * files, and what came from another program.
 *
 * All of it goes through here. What could move the cursor, begin a line, change the direction of
 * writing or not be seen is told as its bytes, "\x1b", and so is what is no UTF-8.
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

/* A type of its own for what other programs say, so that it is not printed by accident; as struct
 * comm. */
struct foreign {
    const char *untrusted;
};

/* Returns `shown`. What does not fit is cut off, never within a character. */
char *foreign_text(const char *text, char *shown, size_t size);

/* What printf would write, shown. */
char *foreign_format(char shown[FOREIGN_LINE_SIZE], const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/* A line that tells reasons, paths or settings: whoever chose their words, it stays one line. */
void foreign_line(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A struct comm or a struct foreign, for as long as the block lasts that says it. */
#define FOREIGN(thing) \
    foreign_text((thing).untrusted, (char[FOREIGN_TEXT_SIZE]){0}, FOREIGN_TEXT_SIZE)

#endif
