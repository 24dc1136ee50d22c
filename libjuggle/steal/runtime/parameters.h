/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameters of a struct of settings, in one table: what zero stands for, what is allowed, by
 * what name it is told. Defaults, checks and the agreement of the ranks all come from it.
 */
#ifndef JUGGLE_STEAL_RUNTIME_PARAMETERS_H
#define JUGGLE_STEAL_RUNTIME_PARAMETERS_H

#include "libjuggle/ground/units.h"
#include "libjuggle/steal.h"

#include <stdbool.h>

enum parameter_type {
    PARAMETER_INT,
    PARAMETER_SIZE,
    PARAMETER_INT64,
    PARAMETER_UINT32,
    PARAMETER_UINT64,
    PARAMETER_FUNCTION, /* a pointer: told by whether there is one */
    PARAMETER_DOUBLE,   /* finite, not negative; told by its bits */
    PARAMETER_CHOICE,   /* of `choice` */
    PARAMETER_TEXT,     /* an array of `most` characters; told by its digest */
    PARAMETER_TIME,     /* int64_t nanoseconds; a text names the unit */
};

struct parameter {
    const char *name;
    size_t offset;
    enum parameter_type type;
    enum steal_choice choice;
    double preset; /* of a size, an int or a double: what zero stands for */
    int64_t least;
    int64_t most; /* 0: there is no bound, nor, but for a double, a least value */
    /* Where another parameter has to be set for this one to mean anything: how that is told, NULL
     * if there is none; where it lies, an int; its values that do, as bits, 0 for all but zero. */
    const char *needs;
    size_t needs_offset;
    unsigned needs_values;
    bool flag;        /* in a text the name alone stands for 1 */
    bool fixed;       /* the program's code depends on it: no text sets it */
    const char *help; /* unless fixed */
};

struct parameters {
    const struct parameter *list;
    size_t count;
};

/* Of the struct that `settings` is. */
int64_t parameter_value(const struct parameter *parameter, const void *settings);

/* False if the parameter would be ignored for want of another one. */
bool parameter_acts(const struct parameter *parameter, const void *settings);

void parameter_clear(const struct parameter *parameter, void *settings);

/* Writes what `text` says, of `length` bytes, into the settings. -EINVAL if it is no value, or out
 * of its range. */
int parameter_parse(const struct parameter *parameter, void *settings, const char *text,
                    size_t length, char *message) MUST_CHECK;

/* -EINVAL, as parameters_check(), if a value that is not zero would be ignored for another one.
 * Before zeros are filled in. */
int parameters_need(const struct parameters *parameters, const void *settings,
                    char *message) MUST_CHECK;

/* Whether any value is not zero. */
bool parameters_set(const struct parameters *parameters, const void *settings);

/* A public struct that begins with its size. */
struct versioned {
    const char *name;
    size_t first; /* bytes that it had at first; it only ever grows at its end */
    size_t size;  /* and has now */
};

/* -EINVAL if a program's struct of that size is none of any version so far. */
int versioned_check(const struct versioned *versioned, size_t given, char *message) MUST_CHECK;

/* Takes over the program's struct, whose size is first in it: what an older one lacks is zero. */
int versioned_read(const struct versioned *versioned, const void *given, void *settings,
                   char *message) MUST_CHECK;

/* Gives the program's struct, whose size was checked, what it has room for, but for its size. */
void versioned_write(const void *from, void *given);

/* Fills in what zero stands for. */
void parameters_default(const struct parameters *parameters, void *settings);

/* -EINVAL if a value is out of its range; `message`, of STEAL_MESSAGE_MAX, names the first one. */
int parameters_check(const struct parameters *parameters, const void *settings,
                     char *message) MUST_CHECK;

#endif
