/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/palette.h"

#include "libjuggle/ground/units.h"

#include <math.h>
#include <stdio.h>

/* The colors of the first threads. These differ in lightness, too, because most programs that are
 * looked at closely have few threads. */
static const char *const first[] = {"#4477aa", "#ee8833", "#228833", "#aa3377",
                                    "#ccbb44", "#66ccee", "#884422", "#999933"};

enum {
    HUE_STEP = 137, /* neighbors differ, and no two of the first 360 are alike */
    HUES = 360,
};

/* hslToRgb of CSS Color 4, with a saturation of 0.6. Every other thread is lighter. */
static unsigned channel(int row, int offset)
{
    const double lightness = row % 2 ? 0.62 : 0.44, saturation = 0.6;
    const double k = fmod(offset + row * HUE_STEP % HUES / 30.0, 12);
    const double amplitude = saturation * fmin(lightness, 1 - lightness);

    return (unsigned)(255 * (lightness - amplitude * fmax(-1, fmin(fmin(k - 3, 9 - k), 1))) + 0.5);
}

const char *palette_color(int row, char color[PALETTE_COLOR_SIZE])
{
    if (row < (int)ARRAY_COUNT(first))
        snprintf(color, PALETTE_COLOR_SIZE, "%s", first[row]);
    else
        snprintf(color, PALETTE_COLOR_SIZE, "#%02x%02x%02x", channel(row, 0) & 0xffU,
                 channel(row, 8) & 0xffU, channel(row, 4) & 0xffU);
    return color;
}
