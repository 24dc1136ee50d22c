/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings that will slow a program down, found before it runs, each with its remedy. Pure. */
#ifndef JUGGLE_HINDRANCES_H
#define JUGGLE_HINDRANCES_H

#include "libjuggle/linux/bindings.h"
#include "libjuggle/linux/pins.h"
#include "libjuggle/waiting/crowd.h"

enum { HINDRANCES_MAX = 12, HINDRANCE_SIZE = 320 };

struct setup {
    int processors;    /* number of processors that may be used */
    int fitting;       /* number of threads of use; fewer than processors if a quota limits them */
    const char *limit; /* name of the limit that sets `fitting`: "quota" */
    bool bound;        /* the mask is narrower than that of the process that started this one */
    int ranks;   /* ranks of the job on this node, if this process is one of them; 1: it is none */
    int started; /* ranks that the command starts; 0: it names no launcher */
    bool binds;  /* the command's launcher binds its ranks */
    bool fit;    /* --fit was asked for */
    crowd_variable *variable;
    /* NULL if not known: */
    const struct cpu_mask *usable;   /* processors that may be used */
    const struct pins *pins;         /* threads of others that are pinned */
    const struct bindings *bindings; /* processors to which launchers have bound ranks */
};

struct hindrances {
    int count;
    char lines[HINDRANCES_MAX][HINDRANCE_SIZE];
};

void hindrances_find(const struct setup *setup, struct hindrances *hindrances);

#endif
