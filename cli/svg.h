/* SPDX-License-Identifier: BSD-3-Clause */
/* Elements of an SVG. */
#ifndef JUGGLE_CLI_SVG_H
#define JUGGLE_CLI_SVG_H

#include <stdio.h>

/* Escapes text for XML. The text must not hold characters that no XML may hold: FOREIGN replaces
 * them. */
void svg_escaped(FILE *out, const char *text);

void svg_text(FILE *out, int x, int y, const char *anchor, const char *text);
void svg_rect(FILE *out, double x, double y, double width, double height, const char *fill);

#endif
