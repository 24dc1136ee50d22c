/* SPDX-License-Identifier: BSD-3-Clause */
/* For tests of code that is loaded into programs: before main() the environment names a page, as
 * if set by the process that started the program. */
#ifndef TESTS_LIB_NAMED_PAGE_H
#define TESTS_LIB_NAMED_PAGE_H

#include "libjuggle/waiting/page.h"

#include <stdlib.h>

__attribute__((constructor(101))) static void page_name(void)
{
    static struct page *made;
    char path[PAGE_PATH_SIZE];

    if (page_create(2, &made))
        abort();
    page_path(made, path);
    setenv(PAGE_VARIABLE, path, 1);
}

#endif
