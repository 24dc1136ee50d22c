/* SPDX-License-Identifier: BSD-3-Clause */
/* A chain with the data of its iterations: an application whose tasks are quadruples of tiles. */
#ifndef JUGGLE_SCF_MOLECULE_H
#define JUGGLE_SCF_MOLECULE_H

#include "tools/iterate/application.h"
#include "tools/scf/fock.h"
#include "tools/scf/scf.h"
#include "tools/scf/settings.h"

struct molecule {
    const struct settings *settings;
    struct boys *boys;
    struct chain chain;
    struct pairs pairs;
    struct fock fock;
    struct scf scf;
    double *two_electron;
};

/* Creates the chain and its pairs, without the matrices. Returns 0 or -ENOMEM. */
int molecule_create(const struct settings *settings, struct molecule *molecule) MUST_CHECK;
void molecule_destroy(struct molecule *molecule);

struct application molecule_application(struct molecule *molecule);

/* Counts the tasks and their costs, and prints them. */
int molecule_survey(const struct molecule *molecule) MUST_CHECK;

#endif
