/* SPDX-License-Identifier: BSD-3-Clause */
/* A histogram of lengths of time, with classes of an eighth of an octave. */
#ifndef JUGGLE_STEAL_RUNTIME_SPECTRUM_H
#define JUGGLE_STEAL_RUNTIME_SPECTRUM_H

#include "libjuggle/ground/units.h"

enum { SPECTRUM_PER_OCTAVE = 8, SPECTRUM_CLASSES = 40 * SPECTRUM_PER_OCTAVE };

void spectrum_add(int64_t spectrum[SPECTRUM_CLASSES], int64_t length_ns);

/* The length that `share` of them do not exceed, to within a ninth; 0 if there are none. */
int64_t spectrum_quantile(const int64_t spectrum[SPECTRUM_CLASSES], double share);

#endif
