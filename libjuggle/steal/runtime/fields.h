/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fields of a struct of settings, in one table: what zero stands for, what is allowed, by what
 * name it is told. Defaults, checks and the agreement of the ranks all come from it.
 */
#ifndef JUGGLE_STEAL_RUNTIME_FIELDS_H
#define JUGGLE_STEAL_RUNTIME_FIELDS_H

#include "libjuggle/policy/units.h"
#include "libjuggle/steal.h"

struct steal_runtime;

enum field_type {
    FIELD_INT,
    FIELD_SIZE,
    FIELD_INT64,
    FIELD_UINT32,
    FIELD_UINT64,
    FIELD_FUNCTION, /* a pointer: told by whether there is one */
    FIELD_DOUBLE,   /* finite, not negative; told by its bits */
    FIELD_CHOICE,   /* of `choice` */
};

struct field {
    const char *name;
    size_t offset;
    enum field_type type;
    enum steal_choice choice;
    int64_t preset; /* of a size, an int or a double: what zero stands for */
    int64_t least;
    int64_t most; /* less than `least`: anything is allowed */
};

struct fields {
    const struct field *list;
    size_t count;
};

int64_t field_value(const struct field *field, const void *settings);

/* Fills in what zero stands for. */
void fields_default(const struct fields *fields, void *settings);

/* -EINVAL if a value is out of its range; the runtime's message names the first one. */
int fields_check(const struct fields *fields, struct steal_runtime *runtime,
                 const void *settings) MUST_CHECK;

#endif
