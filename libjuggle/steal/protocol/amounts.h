/* SPDX-License-Identifier: BSD-3-Clause */
/* How much a victim gives. */
#ifndef JUGGLE_STEAL_PROTOCOL_AMOUNTS_H
#define JUGGLE_STEAL_PROTOCOL_AMOUNTS_H

#include "libjuggle/steal_choices.h"

#include <stdint.h>

/* How many of the `available` tasks a victim gives: 0 to available. */
uint32_t amount_of(enum steal_amount amount, uint32_t chunk, uint32_t available);

#endif
