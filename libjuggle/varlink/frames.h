/* SPDX-License-Identifier: BSD-3-Clause */
/* Cuts a stream of bytes into messages that end in NUL, within a bound. Pure. */
#ifndef JUGGLE_VARLINK_FRAMES_H
#define JUGGLE_VARLINK_FRAMES_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>
#include <stddef.h>

struct frames;

/* A message may have up to `size_max` bytes, its NUL included. -ENOMEM. */
int frames_create(size_t size_max, struct frames **frames) MUST_CHECK;
void frames_destroy(struct frames *frames);

/* The check that failed first, or NULL. If one failed, all calls return -EPROTO. */
const char *frames_fault(const struct frames *frames);

/* Sets *space to where the next bytes go: *size of them at most, 0 while messages must be taken
 * first. Messages that were taken before are invalid from now on. -ENOMEM. */
int frames_space(struct frames *frames, char **space, size_t *size) MUST_CHECK;
void frames_fill(struct frames *frames, size_t size);

/* Takes the next message, without its NUL; it is valid until frames_space. -EAGAIN: it is not
 * complete yet; -EMSGSIZE: it is longer than size_max, and nothing behind it can be found. */
int frames_take(struct frames *frames, const char **message, size_t *length) MUST_CHECK;

/* True if frames_take would not return -EAGAIN. */
bool frames_waiting(const struct frames *frames);

#endif
