/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/placement/bytes.h"

#include <string.h>

void bytes_put_name(unsigned char *bytes, const char *name, size_t size)
{
    const size_t length = strlen(name);

    memset(bytes, 0, size);
    memcpy(bytes, name, length < size ? length : size);
}
