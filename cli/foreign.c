/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/foreign.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ESCAPE_LENGTH = 4, BYTES_MAX = 4 };

/* Returns how many bytes a character with this first byte has, and gets the bits of the character
 * in it. 0: no character begins so. */
static int announced(unsigned char first, uint32_t *bits)
{
    if (first < 0x80) {
        *bits = first;
        return 1;
    }
    for (int count = 2; count <= BYTES_MAX; count++) {
        const unsigned mark = 0xffU & ~(0xffU >> count);
        if ((first & (mark | 0x80U >> count)) != mark)
            continue;
        *bits = first & ~mark & 0xffU;
        return count;
    }
    return 0;
}

/* Decodes a character by RFC 3629. Returns its bytes; 0: it is none, or is not in its shortest
 * form. */
static int decode(const char *text, uint32_t *character)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t bits = 0;
    const int count = announced((unsigned char)*text, &bits);

    for (int i = 1; i < count; i++) {
        const unsigned char next = (unsigned char)text[i];
        if ((next & 0xc0U) != 0x80U)
            return 0;
        bits = bits << 6 | (next & 0x3fU);
    }
    if (bits < least[count] || bits > 0x10ffff || (bits >= 0xd800 && bits <= 0xdfff))
        return 0;
    *character = bits;
    return count;
}

/* True for control characters, and for characters that are not seen but change how others are
 * shown: those of Unicode's classes Cc, Cf, Zl and Zp that terminals know, blanks without width,
 * and characters that no XML may hold. */
static bool is_harmful(uint32_t character)
{
    static const struct {
        uint32_t first, last;
    } harmful[] = {
        {0, 0x1f},        {0x7f, 0x9f},     {0xad, 0xad},     {0x061c, 0x061c},
        {0x180e, 0x180e}, {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},
        {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0xe007f},
    };

    for (size_t i = 0; i < sizeof(harmful) / sizeof(harmful[0]); i++)
        if (character >= harmful[i].first && character <= harmful[i].last)
            return true;
    return false;
}

char *foreign_text(const char *text, char *shown, size_t size)
{
    size_t length = 0;
    uint32_t character;

    while (*text) {
        const int count = decode(text, &character);
        const bool plain = count > 0 && !is_harmful(character);
        const size_t bytes = plain ? (size_t)count : 1, room = plain ? bytes : ESCAPE_LENGTH;
        if (length + room >= size)
            break;
        if (plain)
            memcpy(shown + length, text, bytes);
        else
            snprintf(shown + length, ESCAPE_LENGTH + 1, "\\x%02x", (unsigned char)*text);
        length += room;
        text += bytes;
    }
    shown[length] = '\0';
    return shown;
}

char *foreign_format(char shown[FOREIGN_LINE_SIZE], const char *format, va_list arguments)
{
    char *text = NULL;
    const int length = vasprintf(&text, format, arguments);

    foreign_text(length < 0 ? format : text, shown, FOREIGN_LINE_SIZE);
    if (length >= 0)
        free(text);
    return shown;
}

void foreign_line(FILE *out, const char *format, ...)
{
    char shown[FOREIGN_LINE_SIZE];
    va_list arguments;

    va_start(arguments, format);
    fprintf(out, "%s\n", foreign_format(shown, format, arguments));
    va_end(arguments);
}
