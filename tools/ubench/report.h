/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints what a run of the benchmark took. */
#ifndef JUGGLE_UBENCH_REPORT_H
#define JUGGLE_UBENCH_REPORT_H

#include "tools/ubench/ledger.h"
#include "tools/ubench/settings.h"

/* The work of a phase alone, for --calibrate. */
void report_calibration(const struct settings *settings);

/* 0, or -errno after complaining. */
int report_run(const struct settings *settings, const struct ledger *ledger) MUST_CHECK;

#endif
