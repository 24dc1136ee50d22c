/* SPDX-License-Identifier: BSD-3-Clause */
/* The version of all programs and libraries; the Makefile reads it from here. */
#ifndef JUGGLE_GROUND_VERSION_H
#define JUGGLE_GROUND_VERSION_H

#define JUGGLE_VERSION "1.0.0"

#endif
