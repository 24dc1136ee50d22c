/* SPDX-License-Identifier: BSD-3-Clause */
/* Colors of threads: neighbors differ, for the color-blind, too. */
#ifndef JUGGLE_CLI_PALETTE_H
#define JUGGLE_CLI_PALETTE_H

enum { PALETTE_COLOR_SIZE = 8 };

/* "#rrggbb" of the thread in a row, 0 and up. Returns `color`. */
const char *palette_color(int row, char color[PALETTE_COLOR_SIZE]);

#endif
