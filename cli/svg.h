/* SPDX-License-Identifier: BSD-3-Clause */
/* Elements of an SVG. */
#ifndef JUGGLE_CLI_SVG_H
#define JUGGLE_CLI_SVG_H

#include <stdio.h>

/* What XML may not hold at all is none of such a text: FOREIGN sees to that. */
void svg_escaped(FILE *out, const char *text);

void svg_text(FILE *out, int x, int y, const char *anchor, const char *text);
void svg_rect(FILE *out, double x, double y, double width, double height, const char *fill);

#endif
