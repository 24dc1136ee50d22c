/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that are replaced completely or not at all. */
#include "tests/lib/refusal.h"
#include "tests/lib/scratch.h"
#include "tests/lib/suite.h"

#include "tools/iterate/replacement.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[64], path[80];

static void put(const char *text)
{
    FILE *file = fopen(path, "w");

    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

static void expect(const char *text)
{
    char line[64] = "";
    FILE *file = fopen(path, "r");

    ck_assert_ptr_nonnull(file);
    ck_assert_ptr_nonnull(fgets(line, sizeof(line), file));
    ck_assert_str_eq(line, text);
    fclose(file);
}

static void begin(void)
{
    scratch_folder(directory, sizeof(directory));
    snprintf(path, sizeof(path), "%s/file", directory);
    put("old");
}

/* Checks that only the file is left. */
static void end(void)
{
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(rmdir(directory), 0);
}

START_TEST(what_is_committed_replaces_what_was_there)
{
    struct replacement replacement;

    begin();
    ck_assert_int_eq(replacement_open(path, &replacement), 0);
    fputs("new", replacement.stream);
    expect("old");
    ck_assert_int_eq(replacement_commit(&replacement), 0);
    expect("new");
    ck_assert_int_eq(replacement_open(path, &replacement), 0);
    fputs("never", replacement.stream);
    replacement_drop(&replacement);
    replacement_drop(&replacement);
    ck_assert_int_eq(replacement_try(path), 0);
    expect("new");
    end();
}

START_TEST(a_disk_that_is_full_leaves_what_was_there)
{
    struct replacement replacement;

    begin();
    signal(SIGXFSZ, SIG_IGN);
    limit_set(RLIMIT_FSIZE, 4096);
    ck_assert_int_eq(replacement_open(path, &replacement), 0);
    for (int line = 0; line < 10000; line++)
        fprintf(replacement.stream, "%d\n", line);
    ck_assert_int_lt(replacement_commit(&replacement), 0);
    expect("old");
    end();
}

START_TEST(devices_are_written_to_and_stay)
{
    struct replacement replacement;

    ck_assert_int_eq(replacement_try("/dev/full"), 0);
    ck_assert_int_eq(replacement_open("/dev/full", &replacement), 0);
    fputs("new", replacement.stream);
    ck_assert_int_eq(replacement_commit(&replacement), -ENOSPC);
    ck_assert_int_eq(replacement_try("/dev/full"), 0);
}

START_TEST(what_cannot_be_written_is_known_before)
{
    struct replacement replacement;

    ck_assert_int_eq(replacement_try("/proc/nonexistent/file"), -ENOENT);
    ck_assert_int_eq(replacement_open("/proc/nonexistent/file", &replacement), -ENOENT);
    ck_assert_int_lt(replacement_try("/proc/self/file"), 0);
    ck_assert_int_eq(replacement_try("/tmp"), -EISDIR);
}

SUITE("replacement")
