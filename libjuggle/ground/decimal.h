/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the length of a decimal number, because strtod also takes blanks, signs, 0x10, inf and
 * nan. */
#ifndef JUGGLE_GROUND_DECIMAL_H
#define JUGGLE_GROUND_DECIMAL_H

#include <stddef.h>

static inline size_t decimal_digits(const char *text)
{
    size_t count = 0;

    while (text[count] >= '0' && text[count] <= '9')
        count++;
    return count;
}

/* Returns the length of the number at the beginning of the text, such as 12, .5 or 1.5e-3; 0 if
 * there is none. */
static inline size_t decimal_length(const char *text)
{
    const size_t whole = decimal_digits(text);
    size_t length = whole;

    if (text[length] == '.')
        length += 1 + decimal_digits(text + length + 1);
    if (length == whole + 1 && whole == 0)
        return 0;
    if (length > 0 && (text[length] == 'e' || text[length] == 'E')) {
        const size_t sign = text[length + 1] == '+' || text[length + 1] == '-';
        const size_t digits = decimal_digits(text + length + 1 + sign);

        length += digits ? 1 + sign + digits : 0;
    }
    return length;
}

#endif
