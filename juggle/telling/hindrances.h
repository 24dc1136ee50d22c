/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings that will slow a program down, found before it runs, each with its remedy. Pure. */
#ifndef JUGGLE_HINDRANCES_H
#define JUGGLE_HINDRANCES_H

#include "libjuggle/linux/bindings.h"
#include "libjuggle/linux/pins.h"
#include "libjuggle/waiting/crowd.h"

enum { HINDRANCES_MAX = 12, HINDRANCE_SIZE = 320 };

struct setup {
    int processors;    /* that may be used */
    int fitting;       /* threads of use: fewer where a quota says so */
    const char *limit; /* what sets them: "quota" */
    bool bound;        /* the mask is narrower than that of the process that started this one */
    int ranks;         /* of the job on this node, this process being one; 1: it is none */
    int started;       /* ranks that the command starts; 0: it names no launcher */
    bool binds;        /* its launcher binds them */
    bool fit;          /* --fit was asked for */
    crowd_variable *variable;
    /* NULL: not known. */
    const struct cpu_mask *usable;   /* the processors */
    const struct pins *pins;         /* of others */
    const struct bindings *bindings; /* of all */
};

struct hindrances {
    int count;
    char lines[HINDRANCES_MAX][HINDRANCE_SIZE];
};

void hindrances_find(const struct setup *setup, struct hindrances *hindrances);

#endif
