/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/scratch.h"

#include <check.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void scratch_folder(char *path, size_t size)
{
    snprintf(path, size, "/tmp/juggle-test-XXXXXX");
    ck_assert_msg(mkdtemp(path), "cannot make %s", path);
}

void scratch_remove(const char *folder)
{
    char command[256];

    snprintf(command, sizeof(command), "/bin/rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

void scratch_name(char *path, size_t size)
{
    scratch_folder(path, size);
    ck_assert_int_eq(rmdir(path), 0);
}

bool scratch_locale(const char *folder, int category, const char *definition)
{
    char text[256];

    snprintf(text, sizeof(text), "%s/source", folder);
    FILE *source = fopen(text, "w");
    ck_assert_ptr_nonnull(source);
    ck_assert_int_ge(fputs(definition, source), 0);
    ck_assert_int_eq(fclose(source), 0);
    snprintf(text, sizeof(text),
             "cd %s && localedef -c --no-archive -i source -f ISO-8859-1 ./made >/dev/null 2>&1",
             folder);
    (void)!system(text);
    ck_assert_int_eq(setenv("LOCPATH", folder, 1), 0);
    if (setlocale(category, "made"))
        return true;
    puts("skip: no locale can be made here");
    return false;
}
