/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameters of a struct of settings, in one table: what zero stands for, what is allowed, by
 * what name it is told. Defaults, checks and the agreement of the ranks all come from it.
 */
#ifndef JUGGLE_STEAL_RUNTIME_PARAMETERS_H
#define JUGGLE_STEAL_RUNTIME_PARAMETERS_H

#include "libjuggle/policy/units.h"
#include "libjuggle/steal.h"

struct steal_runtime;

enum parameter_type {
    PARAMETER_INT,
    PARAMETER_SIZE,
    PARAMETER_INT64,
    PARAMETER_UINT32,
    PARAMETER_UINT64,
    PARAMETER_FUNCTION, /* a pointer: told by whether there is one */
    PARAMETER_DOUBLE,   /* finite, not negative; told by its bits */
    PARAMETER_CHOICE,   /* of `choice` */
};

struct parameter {
    const char *name;
    size_t offset;
    enum parameter_type type;
    enum steal_choice choice;
    int64_t preset; /* of a size, an int or a double: what zero stands for */
    int64_t least;
    int64_t most; /* less than `least`: anything is allowed */
};

struct parameters {
    const struct parameter *list;
    size_t count;
};

int64_t parameter_value(const struct parameter *parameter, const void *settings);

/* Fills in what zero stands for. */
void parameters_default(const struct parameters *parameters, void *settings);

/* -EINVAL if a value is out of its range; the runtime's message names the first one. */
int parameters_check(const struct parameters *parameters, struct steal_runtime *runtime,
                     const void *settings) MUST_CHECK;

#endif
