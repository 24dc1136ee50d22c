/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/scratch.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void scratch_folder(char *path, size_t size)
{
    snprintf(path, size, "/tmp/juggle-test-XXXXXX");
    ck_assert_msg(mkdtemp(path), "cannot make %s", path);
}

void scratch_name(char *path, size_t size)
{
    scratch_folder(path, size);
    ck_assert_int_eq(rmdir(path), 0);
}
