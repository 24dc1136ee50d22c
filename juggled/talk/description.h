/* SPDX-License-Identifier: BSD-3-Clause */
/* org.varlink.service: the interface by which every Varlink service describes itself. */
#ifndef JUGGLE_JUGGLED_DESCRIPTION_H
#define JUGGLE_JUGGLED_DESCRIPTION_H

#include "libjuggle/varlink/message.h"

/* The text of io.juggle.varlink. */
extern const char description_juggle[];

/* True if the call is for another interface than io.juggle: *message is its answer, NULL if
 * there is no memory. */
bool description_answers(const struct call *call, json_t **message);

/* An error of org.varlink.service about one argument: MethodNotFound "method", InvalidParameter
 * "parameter". */
json_t *description_error(const char *name, const char *argument, const char *value);

#endif
