/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/suite.h"

#include "libjuggle/linux/spin.h"

#include <string.h>

enum { CODE_SIZE = 64 };

/* Code as compilers make it, and each address in it at which a sample means waiting. */
static const struct {
    const char *name;
    size_t size;
    size_t begin, end; /* where it waits; the same: nowhere */
    uint8_t code[CODE_SIZE];
} cases[] = {
    /* L: mov (%rdi),%eax; cmp %esi,%eax; jne out; pause; jmp L; out: ret */
    {"a loop that pauses",
     11,
     0,
     10,
     {0x8b, 0x07, 0x39, 0xf0, 0x75, 0x04, 0xf3, 0x90, 0xeb, 0xf6, 0xc3}},
    /* jmp T; L: pause; T: mov (%rdi),%eax; cmp %esi,%eax; je L; ret */
    {"a loop that begins at its test",
     11,
     2,
     10,
     {0xeb, 0x02, 0xf3, 0x90, 0x8b, 0x07, 0x39, 0xf0, 0x74, 0xf8, 0xc3}},
    /* L: pause; mov (%rdi),%eax; test %eax,%eax; je L, with a jump of four bytes */
    {"a loop with a long jump",
     13,
     0,
     12,
     {0xf3, 0x90, 0x8b, 0x07, 0x85, 0xc0, 0x0f, 0x84, 0xf4, 0xff, 0xff, 0xff, 0xc3}},
    /* L: addsd (%rdi),%xmm0; add $8,%rdi; cmp %rsi,%rdi; jne L; ret: as hot, and work */
    {"a hot loop that computes",
     14,
     0,
     0,
     {0xf2, 0x0f, 0x58, 0x07, 0x48, 0x83, 0xc7, 0x08, 0x48, 0x39, 0xf7, 0x75, 0xf3, 0xc3}},
    /* L: cmp (%rdi),%eax; je L; ret: without a pause nobody knows what it is good for */
    {"a loop that only looks", 5, 0, 0, {0x3b, 0x07, 0x74, 0xfc, 0xc3}},
    /* W: add %rax,%rbx; dec %rcx; L: pause; cmp (%rdi),%eax; je L; test %rcx,%rcx; jne W: a lock
     * within a loop that works */
    {"a loop that waits within one that works",
     18,
     6,
     12,
     {0x48, 0x01, 0xc3, 0x48, 0xff, 0xc9, 0xf3, 0x90, 0x3b, 0x07, 0x74, 0xfa, 0x48, 0x85, 0xc9,
      0x75, 0xef, 0xc3}},
    /* pause; ret, then L: dec %rcx; jne L */
    {"a pause beside a loop", 8, 0, 0, {0xf3, 0x90, 0xc3, 0x48, 0xff, 0xc9, 0x75, 0xfb}},
    /* cmp %eax,%esi; je +4; pause */
    {"a pause that is not repeated",
     9,
     0,
     0,
     {0x39, 0xc6, 0x74, 0x04, 0xf3, 0x90, 0x90, 0x90, 0xc3}},
};

START_TEST(loops_that_pause_are_told_from_loops_that_work)
{
    struct spin_loop loop;

    for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
        for (size_t at = 0; at < cases[i].size; at++) {
            const bool waits = at >= cases[i].begin && at < cases[i].end;
            ck_assert_msg(spin_code_waits(cases[i].code, cases[i].size, at, &loop) == waits,
                          "%s, at %zu", cases[i].name, at);
            ck_assert(!waits || (loop.begin == cases[i].begin && loop.end == cases[i].end));
        }
}
END_TEST

START_TEST(code_that_ends_anywhere_is_not_read_beyond)
{
    struct spin_loop loop;

    for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
        for (size_t size = 1; size <= cases[i].size; size++) {
            /* In memory of its own size, for the sanitizers. */
            uint8_t *code = malloc(size);
            memcpy(code, cases[i].code, size);
            ck_assert(!spin_code_waits(code, size, size - 1, &loop) || loop.end <= size);
            free(code);
        }
}
END_TEST

SUITE("spin", loops_that_pause_are_told_from_loops_that_work,
      code_that_ends_anywhere_is_not_read_beyond)
