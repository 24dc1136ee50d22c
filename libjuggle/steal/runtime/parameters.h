/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameters of a struct of settings, in one table: for each its name, its default and its
 * range. Defaults, checks, parsing, help and the agreement of the ranks all use this table.
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
    PARAMETER_FUNCTION, /* a pointer; its value is 1 if it is set, 0 if it is NULL */
    PARAMETER_DOUBLE,   /* finite, not negative; its value is its bits */
    PARAMETER_CHOICE,   /* a value of the enum `choice` */
    PARAMETER_TEXT,     /* an array of `most` characters; its value is a digest */
    PARAMETER_TIME,     /* int64_t nanoseconds; in a text it has a unit */
};

struct parameter {
    const char *name;
    size_t offset;
    enum parameter_type type;
    enum steal_choice choice;
    double preset; /* default of a size, an int or a double, which replaces zero */
    int64_t least;
    int64_t most; /* 0: no upper bound and, except for a double, no lower bound */
    /* Another parameter that must be set, because this one has no effect otherwise. `needs`: what a
     * message calls it, as "mode threads"; NULL: there is none. `needs_offset`: where it lies in
     * the struct, as an int. `needs_values`: bit n is set if its value n will do; 0: every value
     * but zero does. */
    const char *needs;
    size_t needs_offset;
    unsigned needs_values;
    bool flag;        /* in a text the name alone stands for 1 */
    bool fixed;       /* the program's code depends on it: no text sets it */
    const char *help; /* not set if `fixed` */
};

struct parameters {
    const struct parameter *list;
    size_t count;
};

/* Adds a text, with its terminating zero, to a digest of texts, which is 0 at first. */
int64_t text_digest(int64_t digest, const char *text);

/* Returns the parameter's value in the struct `settings` as 64 bits, which can be compared with
 * zero and with the values of other ranks. */
int64_t parameter_value(const struct parameter *parameter, const void *settings);

/* False if the parameter would be ignored because another one that it needs is not set. */
bool parameter_has_effect(const struct parameter *parameter, const void *settings);

void parameter_clear(const struct parameter *parameter, void *settings);

/* Parses the `length` bytes of `text`, and writes the value into the settings. -EINVAL if it is no
 * value of this type, or out of range; `message` says so. */
int parameter_parse(const struct parameter *parameter, void *settings, const char *text,
                    size_t length, char *message) MUST_CHECK;

/* -EINVAL, as parameters_check(), if a parameter is set but would be ignored because another one
 * that it needs is not set. To be called before zeros are replaced by defaults. */
int parameters_need(const struct parameters *parameters, const void *settings,
                    char *message) MUST_CHECK;

/* Whether any value is not zero. */
bool parameters_set(const struct parameters *parameters, const void *settings);

/* A public struct that begins with its size. */
struct versioned {
    const char *name;
    size_t first; /* size in bytes in the first version; it only ever grows at its end */
    size_t size;  /* size in bytes now */
};

/* -EINVAL if in no version so far a program's struct can have had `given` bytes. */
int versioned_check(const struct versioned *versioned, size_t given, char *message) MUST_CHECK;

/* Copies the program's struct `given`, which begins with its size, to `settings`. Fields that an
 * older version lacks become zero. -EINVAL as of versioned_check(). */
int versioned_read(const struct versioned *versioned, const void *given, void *settings,
                   char *message) MUST_CHECK;

/* Copies `from` to the program's struct `given`, whose size was checked: only as many bytes as that
 * has, and not the field `size`. */
void versioned_write(const void *from, void *given);

/* Replaces zeros by the defaults. */
void parameters_default(const struct parameters *parameters, void *settings);

/* -EINVAL if a value is out of its range; `message`, an array of STEAL_MESSAGE_MAX bytes, names the
 * first one. */
int parameters_check(const struct parameters *parameters, const void *settings,
                     char *message) MUST_CHECK;

#endif
