/* SPDX-License-Identifier: BSD-3-Clause */
/* Conditions say whether the theory's results are derived for a case: THEORY_HOLDS, or the first
 * one that fails. All but the first need an imbalance. Internal to theory/. */
#ifndef JUGGLE_THEORY_CONDITION_H
#define JUGGLE_THEORY_CONDITION_H

#include "libjuggle/theory/case.h"

enum theory_condition condition_check_case(const struct theory_case *app) MUST_CHECK;
enum theory_condition condition_check_imbalance(const struct theory_case *app) MUST_CHECK;

/* Some balancing point falls into each phase; at most one into a phase, and one into the run. */
enum theory_condition condition_check_short_period(const struct theory_case *app) MUST_CHECK;
enum theory_condition condition_check_long_period(const struct theory_case *app) MUST_CHECK;

/* For section 3.2.1: an imbalance whose slow threads all find a fast slot. */
enum theory_condition condition_check_fast_slots(const struct theory_case *app) MUST_CHECK;

#endif
