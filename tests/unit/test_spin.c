/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/live.h"
#include "tests/lib/suite.h"
#include "tests/lib/tree.h"

#include "libjuggle/ground/units.h"
#include "libjuggle/linux/clock.h"
#include "libjuggle/linux/code_map.h"
#include "libjuggle/linux/perf_sampler.h"
#include "libjuggle/linux/spin.h"
#include "libjuggle/linux/spin_code.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CODE_SIZE = 64 };

#define CODE(...)                     \
    sizeof((uint8_t[]){__VA_ARGS__}), \
    {                                 \
        __VA_ARGS__                   \
    }

/* Code as compilers emit it, and each address in it at which a sample means waiting. */
static const struct {
    const char *name;
    size_t begin, end; /* the loop that waits; equal: there is none */
    uint32_t starts;   /* the offsets in the loop at which it is recognized: samples are at no other
                          offsets */
    size_t size;
    uint8_t code[CODE_SIZE];
} cases[] = {
    /* L: mov (%rdi),%eax; cmp %esi,%eax; jne out; pause; jmp L; out: ret */
    {"a loop that pauses", 0, 10, 0x1dd,
     CODE(0x8b, 0x07, 0x39, 0xf0, 0x75, 0x04, 0xf3, 0x90, 0xeb, 0xf6, 0xc3)},
    /* jmp T; L: pause; T: mov (%rdi),%eax; cmp %esi,%eax; je L; ret */
    {"a loop that begins at its test", 2, 10, 0x15c,
     CODE(0xeb, 0x02, 0xf3, 0x90, 0x8b, 0x07, 0x39, 0xf0, 0x74, 0xf8, 0xc3)},
    /* L: pause; mov (%rdi),%eax; test %eax,%eax; je L, with a jump of four bytes */
    {"a loop with a long jump", 0, 12, 0x57,
     CODE(0xf3, 0x90, 0x8b, 0x07, 0x85, 0xc0, 0x0f, 0x84, 0xf4, 0xff, 0xff, 0xff, 0xc3)},
    /* L: nopl (%rax); cmp (%r12),%ebp; jne out; P: pause; jmp L; test %edi,%edi; jne P; out: the
     * second jump back closes a smaller loop */
    {"a loop with another jump back behind it", 0, 13, 0xebd,
     CODE(0x0f, 0x1f, 0x00, 0x41, 0x3b, 0x2c, 0x24, 0x75, 0x08, 0xf3, 0x90, 0xeb, 0xf3, 0x85, 0xff,
          0x75, 0xf8, 0xc3)},
    /* L: pause; rdtsc; shl $32,%rdx; or %rdx,%rax; cmp %rcx,%rax; jb L; ret */
    {"a loop that waits for a time", 0, 0, 0,
     CODE(0xf3, 0x90, 0x0f, 0x31, 0x48, 0xc1, 0xe2, 0x20, 0x48, 0x09, 0xd0, 0x48, 0x39, 0xc8, 0x72,
          0xf0, 0xc3)},
    /* L: pause; rdtscp; shl $32,%rdx; or %rdx,%rax; cmp %rax,-8(%rbp); ja L; ret */
    {"a loop that has the time on the stack", 0, 0, 0,
     CODE(0xf3, 0x90, 0x0f, 0x01, 0xf9, 0x48, 0xc1, 0xe2, 0x20, 0x48, 0x09, 0xd0, 0x48, 0x39, 0x45,
          0xf8, 0x77, 0xee, 0xc3)},
    /* L: pause; rdtsc; cmp %ecx,%eax; jae out; cmp (%rdi),%edx; je L; out: ret */
    {"a loop that pauses until a time", 0, 12, 0x557,
     CODE(0xf3, 0x90, 0x0f, 0x31, 0x39, 0xc8, 0x73, 0x04, 0x3b, 0x17, 0x74, 0xf4, 0xc3)},
    /* L: addsd (%rdi),%xmm0; add $8,%rdi; cmp %rsi,%rdi; jne L; ret: equally hot, but it works */
    {"a hot loop that computes", 0, 0, 0,
     CODE(0xf2, 0x0f, 0x58, 0x07, 0x48, 0x83, 0xc7, 0x08, 0x48, 0x39, 0xf7, 0x75, 0xf3, 0xc3)},
    /* L: cmp (%rdi),%eax; je L; ret */
    {"a loop that only looks", 0, 4, 0x5, CODE(0x3b, 0x07, 0x74, 0xfc, 0xc3)},
    /* L: lock orq $0,(%rsp); mov 0x10(%rip),%eax; test %eax,%eax; je L: a flush in Fortran's loop
     */
    {"a loop that looks behind a fence", 0, 16, 0x5041,
     CODE(0xf0, 0x48, 0x83, 0x0c, 0x24, 0x00, 0x8b, 0x05, 0x10, 0x00, 0x00, 0x00, 0x85, 0xc0, 0x74,
          0xf0, 0xc3)},
    /* L: mov 8(%rbx),%rax; movslq (%rax,%r9,4),%rdx; sub $1,%edx; cmp %edx,%r8d; jg out; jmp L */
    {"a loop that follows a pointer afresh in each pass", 0, 18, 0x14911,
     CODE(0x48, 0x8b, 0x43, 0x08, 0x4a, 0x63, 0x14, 0x88, 0x83, 0xea, 0x01, 0x41, 0x39, 0xd0, 0x7f,
          0x02, 0xeb, 0xee, 0xc3)},
    /* L: movslq 0x2cc1(%rip),%rax; shl $6,%rax; add %r12,%rax; mov (%rax),%eax; cmp %ebp,%eax; jl L
     */
    {"a loop that finds its place in an array", 0, 20, 0x54881,
     CODE(0x48, 0x63, 0x05, 0xc1, 0x2c, 0x00, 0x00, 0x48, 0xc1, 0xe0, 0x06, 0x4c, 0x01, 0xe0, 0x8b,
          0x00, 0x39, 0xe8, 0x7c, 0xec)},
    /* L: mov (%r9),%eax; cmp %r8d,%eax; jge far back; mov (%r9),%eax; cmp %r8d,%eax; jl L */
    {"a loop that ends far before itself", 0, 16, 0x4949,
     CODE(0x41, 0x8b, 0x01, 0x44, 0x39, 0xc0, 0x7d, 0x85, 0x41, 0x8b, 0x01, 0x44, 0x39, 0xc0, 0x7c,
          0xf0)},
    /* L: lea (%rbx,%rcx,4),%rdx; mov (%rdx),%eax; mov %eax,%esi; cltq; test %rsi,%rax; je L */
    {"a loop that moves what it sees", 0, 15, 0x2551,
     CODE(0x48, 0x8d, 0x14, 0x8b, 0x8b, 0x02, 0x89, 0xc6, 0x48, 0x98, 0x48, 0x85, 0xf0, 0x74,
          0xf1)},
    /* L: lea 4(%rdi),%rdi; cmp %eax,(%rdi); jne L */
    {"a loop that goes on by an address", 0, 0, 0,
     CODE(0x48, 0x8d, 0x7f, 0x04, 0x39, 0x07, 0x75, 0xf8)},
    /* L: xchg %rax,%r8; cmp (%rdi),%eax; je L */
    {"a loop that exchanges registers", 0, 0, 0, CODE(0x49, 0x90, 0x3b, 0x07, 0x74, 0xfa)},
    /* L: shl $1,%eax; cmp (%rdi),%eax; jl L */
    {"a loop that shifts", 0, 0, 0, CODE(0xd1, 0xe0, 0x3b, 0x07, 0x7c, 0xfa)},
    /* L: mov (%rax),%rax; test %rax,%rax; jne L: down a list */
    {"a loop that walks", 0, 0, 0, CODE(0x48, 0x8b, 0x00, 0x48, 0x85, 0xc0, 0x75, 0xf8)},
    /* L: add $4,%rdi; cmp %eax,(%rdi); jne L: along an array */
    {"a loop that searches", 0, 0, 0, CODE(0x48, 0x83, 0xc7, 0x04, 0x39, 0x07, 0x75, 0xf8)},
    /* L: mov (%rdi),%eax; mov %eax,(%rsi); test %eax,%eax; je L */
    {"a loop that stores", 0, 0, 0, CODE(0x8b, 0x07, 0x89, 0x06, 0x85, 0xc0, 0x74, 0xf8)},
    /* L: mov (%rdi),%eax; sub $1,%ecx; je out; test %eax,%eax; je L */
    {"a loop that counts", 0, 0, 0,
     CODE(0x8b, 0x07, 0x83, 0xe9, 0x01, 0x74, 0x04, 0x85, 0xc0, 0x74, 0xf5)},
    /* L: mov (%rdi),%eax; test %eax,%eax; je +2; mov (%rax),%ebx; cmp %ebx,(%rsi); jne L */
    {"a loop that leaves out some of itself", 0, 0, 0,
     CODE(0x8b, 0x07, 0x85, 0xc0, 0x74, 0x02, 0x8b, 0x18, 0x39, 0x1e, 0x75, 0xf4)},
    /* L: jmp out; mov (%rdi),%eax; test %eax,%eax; je L; out: the jump back leads to a jump out
     * of the loop */
    {"a jump back to a jump", 0, 0, 0, CODE(0xeb, 0x06, 0x8b, 0x07, 0x85, 0xc0, 0x74, 0xf8)},
    /* L: xor %eax,%ebx; cmp %ebx,%ecx; jne L: in registers alone */
    {"a loop that looks at nothing", 0, 0, 0, CODE(0x31, 0xc3, 0x39, 0xd9, 0x75, 0xfa)},
    /* L: mov (%rdi),%al; cmp %ah,%al; jne L: bytes of one register */
    {"a loop that keeps a byte", 0, 0, 0, CODE(0x8a, 0x07, 0x38, 0xe0, 0x75, 0xfa)},
    /* W: add %rax,%rbx; dec %rcx; L: pause; cmp (%rdi),%eax; je L; test %rcx,%rcx; jne W: a lock
     * within a loop that works */
    {"a loop that waits within one that works", 6, 12, 0x5c0,
     CODE(0x48, 0x01, 0xc3, 0x48, 0xff, 0xc9, 0xf3, 0x90, 0x3b, 0x07, 0x74, 0xfa, 0x48, 0x85, 0xc9,
          0x75, 0xef, 0xc3)},
    /* L: add $0x90f3,%eax; dec %rcx; jne L: no instruction begins in the number, so no sample
     * does */
    {"a number that looks like a pause", 0, 10, 0x2,
     CODE(0x05, 0xf3, 0x90, 0x00, 0x00, 0x48, 0xff, 0xc9, 0x75, 0xf6, 0xc3)},
    /* L: movdqu %xmm0,-0x70(%rbx,%rsi,8); add $16,%rsi; cmp %rcx,%rsi; jne L */
    {"a store that ends like a pause", 0, 15, 0x14,
     CODE(0xf3, 0x0f, 0x7f, 0x44, 0xf3, 0x90, 0x48, 0x83, 0xc6, 0x10, 0x48, 0x39, 0xce, 0x75,
          0xf1)},
    /* pause; ret, then L: dec %rcx; jne L */
    {"a pause beside a loop", 0, 0, 0, CODE(0xf3, 0x90, 0xc3, 0x48, 0xff, 0xc9, 0x75, 0xfb)},
    /* cmp %eax,%esi; je +4; pause */
    {"a pause that is not repeated", 0, 0, 0,
     CODE(0x39, 0xc6, 0x74, 0x04, 0xf3, 0x90, 0x90, 0x90, 0xc3)},
};

START_TEST(loops_that_wait_are_told_from_loops_that_work)
{
    struct spin_loop loop;

    for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
        for (size_t at = 0; at < cases[i].size; at++) {
            const bool waits = at >= cases[i].begin && at < cases[i].end &&
                               (!cases[i].starts || cases[i].starts >> at & 1);
            ck_assert_msg(spin_code_waits(cases[i].code, cases[i].size, at, &loop) == waits,
                          "%s, at %zu", cases[i].name, at);
            ck_assert(!waits || (loop.begin == cases[i].begin && loop.end == cases[i].end));
        }
}

/* Bytes that look like an instruction within another one are recognized by the length of that
 * one. */
START_TEST(instructions_of_all_kinds_have_their_lengths)
{
    static const struct {
        size_t length; /* 0: no instruction */
        uint8_t code[12];
    } instructions[] = {
        {1, {0x55}},
        {1, {0xc3}},
        {2, {0xf3, 0x90}},
        {2, {0x66, 0x90}},
        {2, {0x0f, 0x05}},
        {2, {0xeb, 0xf0}},
        {3, {0xc2, 0x08, 0x00}},
        {4, {0xc8, 0x10, 0x00, 0x01}},
        {5, {0xe8, 0x00, 0x01, 0x02, 0x03}},
        {6, {0x0f, 0x84, 0x00, 0x01, 0x02, 0x03}},
        {3, {0x48, 0x89, 0xc8}},
        {2, {0x89, 0x07}},
        {3, {0x89, 0x04, 0x24}},
        {6, {0x89, 0x05, 0x00, 0x01, 0x02, 0x03}},
        {7, {0x89, 0x04, 0xc5, 0x00, 0x01, 0x02, 0x03}},
        {4, {0x89, 0x44, 0xf3, 0x90}},
        {7, {0x89, 0x84, 0x24, 0x00, 0x01, 0x02, 0x03}},
        {5, {0xb8, 0x00, 0x01, 0x02, 0x03}},
        {4, {0x66, 0xb8, 0x00, 0x01}},
        {10, {0x48, 0xb8, 0, 1, 2, 3, 4, 5, 6, 7}},
        {9, {0xa1, 0, 1, 2, 3, 4, 5, 6, 7}},
        {6, {0x69, 0xc0, 0x00, 0x01, 0x02, 0x03}},
        {3, {0x6b, 0xc0, 0x05}},
        {5, {0x66, 0x81, 0xc0, 0x00, 0x01}},
        {7, {0x66, 0x48, 0x3d, 0x00, 0x01, 0x02, 0x03}}, /* width set by the last prefix */
        {8, {0xc7, 0x44, 0x24, 0x08, 0x00, 0x01, 0x02, 0x03}},
        {3, {0xf6, 0xc1, 0x01}},
        {2, {0xf6, 0xd9}},
        {6, {0xf7, 0xc1, 0x00, 0x01, 0x02, 0x03}},
        {2, {0xf7, 0xd9}},
        {5, {0xf0, 0x48, 0x0f, 0xb1, 0x0f}},       /* lock cmpxchg */
        {2, {0x87, 0x07}},                         /* xchg */
        {4, {0xf2, 0x0f, 0x58, 0x07}},             /* addsd */
        {5, {0x66, 0x0f, 0x70, 0xc0, 0x1b}},       /* pshufd */
        {5, {0x66, 0x0f, 0x38, 0x00, 0xc1}},       /* pshufb */
        {6, {0x66, 0x0f, 0x3a, 0x0f, 0xc1, 0x08}}, /* palignr */
        {4, {0xc5, 0xfc, 0x10, 0x07}},             /* vmovups */
        {3, {0xc5, 0xf8, 0x77}},                   /* vzeroupper */
        {5, {0xc4, 0xe2, 0x7d, 0x18, 0x07}},       /* vbroadcastss */
        {6, {0xc4, 0xe3, 0x7d, 0x18, 0xc1, 0x01}}, /* vinsertf128 */
        {6, {0x62, 0xf1, 0x7c, 0x48, 0x10, 0x07}}, /* vmovups of 64 bytes */
        {0, {0x06}},
        {0, {0x0f, 0x0a}},
        {0, {0xc4, 0xe9, 0x7d, 0x18, 0x07}},
    };

    for (size_t i = 0; i < ARRAY_COUNT(instructions); i++) {
        const uint8_t *code = instructions[i].code;
        const size_t length = instructions[i].length;
        ck_assert_uint_eq(spin_instruction_length(code, sizeof(instructions[i].code)), length);
        struct spin_effect effect;
        const size_t known = spin_instruction_at(code, sizeof(instructions[i].code), &effect);
        ck_assert(known == 0 || known == length);
        for (size_t left = 0; left < length; left++)
            ck_assert_uint_eq(spin_instruction_length(code, left), 0);
    }
}

/* A longer loop, as in LLVM's OpenMP, may also look for work: in it only samples at the pause
 * count. */
START_TEST(in_long_loops_the_pause_alone_waits)
{
    enum { PAUSE = 200, END = 500, BACK = 6 };
    uint8_t code[2 * END];
    struct spin_loop loop;
    const int32_t distance = -(END - 10);

    memset(code, 0x90, sizeof(code));
    code[PAUSE] = 0xf3;
    code[END - BACK] = 0x0f;
    code[END - BACK + 1] = 0x85;
    memcpy(code + END - BACK + 2, &distance, sizeof(distance));
    for (size_t at = 0; at < sizeof(code); at++)
        ck_assert_msg(spin_code_waits(code, sizeof(code), at, &loop) ==
                          (at >= PAUSE && at < PAUSE + 8),
                      "at %zu", at);
}

START_TEST(code_that_ends_anywhere_is_not_read_beyond)
{
    struct spin_loop loop;

    for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
        for (size_t size = 1; size <= cases[i].size; size++) {
            /* A block of exactly this size, so that sanitizers find reads beyond it. */
            uint8_t *code = malloc(size);
            memcpy(code, cases[i].code, size);
            ck_assert(!spin_code_waits(code, size, size - 1, &loop) || loop.end <= size);
            free(code);
        }
}

START_TEST(who_spins_is_named_by_its_file)
{
    const int proc_fd = open("/proc", O_RDONLY | O_DIRECTORY);
    struct code_place place;

    ck_assert_int_ge(proc_fd, 0);
    code_place_find(proc_fd, getpid(), (uintptr_t)spin_code_waits, &place);
    ck_assert_str_eq(place.untrusted, "test_spin");
    code_place_find(proc_fd, getpid(), (uintptr_t)&place, &place);
    ck_assert_str_eq(place.untrusted, "");
    code_place_find(proc_fd, getpid(), 1, &place);
    ck_assert_str_eq(place.untrusted, "");
    close(proc_fd);
}

/* The C library of this test is not a runtime that it waits in. */
START_TEST(code_that_threads_wait_in_is_known_by_its_file)
{
    const int proc_fd = open("/proc", O_RDONLY | O_DIRECTORY);
    const struct runtime_part *part;
    struct runtime_code code;

    runtime_code_read(proc_fd, getpid(), &code);
    part = runtime_code_at(&code, (uintptr_t)dlsym(RTLD_NEXT, "sched_yield"));
    ck_assert(part && part->kind == RUNTIME_LIBC);
    ck_assert_ptr_null(runtime_code_at(&code, (uintptr_t)runtime_code_at));
    ck_assert_ptr_null(runtime_code_at(&code, 1));
    runtime_code_read(proc_fd, 0, &code);
    ck_assert_int_eq(code.parts_count, 0);
    close(proc_fd);
}

/* Mappings of data must not take the place of code. */
START_TEST(libraries_that_wait_are_known_by_their_code)
{
    static const struct {
        const char *file;
        bool is_known;
    } files[] = {{"libc.so.6", true},
                 {"libc-2.31.so", true},
                 {"libpthread-2.31.so", true},
                 {"ld-musl-x86_64.so.1", true},
                 {"libmpi.so.40", true},
                 {"libmpich.so.12", true},
                 {"mca_pml_ob1.so", true},
                 {"libm.so.6", false},
                 {"libcrypt.so.1", false},
                 {"ld-linux-x86-64.so.2", false},
                 {"libjuggle-spinning.so", true}};
    const int proc_fd = tree_create();
    struct runtime_code code;

    for (size_t i = 0; i < ARRAY_COUNT(files); i++) {
        char maps[80 * (RUNTIME_PARTS_MAX + 1)] = "";
        for (int k = 0; k < RUNTIME_PARTS_MAX; k++)
            sprintf(maps + strlen(maps), "%x000-%x000 r--p 0 08:01 9 /lib/%s\n", k + 1, k + 2,
                    files[i].file);
        sprintf(maps + strlen(maps), "7f001000-7f002000 r-xp 0 08:01 9 /lib/%s\n", files[i].file);
        tree_write(proc_fd, "7/maps", maps);
        runtime_code_read(proc_fd, 7, &code);
        ck_assert_int_eq(code.parts_count, files[i].is_known);
        ck_assert_int_eq(runtime_code_at(&code, 0x7f001234) != NULL, files[i].is_known);
    }
    tree_remove(proc_fd, ".");
}

/* The kernel gives names of files to memory, too. Compilers write such code while it runs. */
START_TEST(memory_with_a_name_is_no_file)
{
    static const struct {
        const char *name;
        bool is_file;
    } mappings[] = {{"/usr/lib/libm.so.6", true},
                    {"/opt/app (deleted)", true},
                    {"/memfd:code (deleted)", false},
                    {"/anon_hugepage (deleted)", false},
                    {"/dev/zero", false},
                    {"[anon:code]", false},
                    {"", false}};
    const int proc_fd = tree_create();
    char maps[128];

    for (size_t i = 0; i < ARRAY_COUNT(mappings); i++) {
        snprintf(maps, sizeof(maps), "7f001000-7f002000 r-xp 00000000 00:10 9     %s\n",
                 mappings[i].name);
        tree_write(proc_fd, "7/maps", maps);
        ck_assert_msg(code_is_of_private_file(proc_fd, 7, 0x7f001234) == mappings[i].is_file, "%s",
                      mappings[i].name);
    }
    tree_remove(proc_fd, ".");
}

/* ---- samples ---- */

/* Computes, in user mode only. */
static void compute(int steps_count)
{
    for (volatile int i = 0; i < steps_count; i++)
        continue;
}

/* More samples than the ring has room for, then a number that fits. */
START_TEST(times_are_not_told_where_samples_were_lost)
{
    enum { MANY = 100 * 1000 * 1000, SOME = MANY / 20 };
    const struct thread_id own = id_of(getpid(), gettid());
    struct perf_sampler *sampler;
    struct samples samples;

    if (perf_sampler_open(&own, 100 * NSEC_PER_USEC, &sampler)) {
        printf("skip: no samples can be taken\n");
        return;
    }
    compute(MANY);
    perf_sampler_read(sampler, &samples);
    ck_assert_int_gt(samples.count, 0);
    ck_assert_int_eq(samples.ran_ns, 0);
    compute(SOME);
    perf_sampler_read(sampler, &samples);
    ck_assert_int_gt(samples.count, 0);
    ck_assert_int_eq(samples.ran_ns, 0);
    perf_sampler_close(sampler);
}

/* One sample at the program's code and one at a system call, as threads that note their own
 * position have them. */
START_TEST(samples_of_the_kernel_count_where_they_may_be_any)
{
    static const uint8_t code[] = {0x0f, 0x05, 0x90, 0x90, 0x90, 0x90};
    const struct probed_code known = {&(struct runtime_code){0}, &(struct spin_places){0}};
    struct samples samples = {
        .count = 2,
        .addresses = {(uintptr_t)code + 2, (uintptr_t)code + 4},
        .ran_ns = 800,
        .each_ns = 400,
    };
    struct spin_seen seen;

#if !defined(__x86_64__)
    ck_assert_int_eq(spin_see(getpid(), &known, &samples, &seen), -ENOTSUP);
    return;
#endif
    ck_assert_int_eq(spin_see(getpid(), &known, &samples, &seen), 0);
    ck_assert_int_eq(seen.samples_count, 2);
    ck_assert_int_eq(seen.work_ns, 800);
    samples.of_kernel_too = true;
    ck_assert_int_eq(spin_see(getpid(), &known, &samples, &seen), 0);
    ck_assert_int_eq(seen.samples_count, 1);
    ck_assert_int_eq(seen.ran_ns, 800);
    ck_assert_int_eq(seen.work_ns, 400);
}

/* One sample of two is in such a library, in code that is no loop. */
START_TEST(who_is_in_a_library_of_mpi_polls)
{
    static const uint8_t code[8] = {0x90};
    const uintptr_t begin = (uintptr_t)code;
    const struct runtime_code map = {1, {{begin, begin + 4, RUNTIME_POLLS}}};
    const struct probed_code known = {&map, &(struct spin_places){0}};
    const struct samples samples = {
        .count = 2, .addresses = {begin + 2, begin + 6}, .ran_ns = 800, .each_ns = 400};
    struct spin_seen seen;

#if !defined(__x86_64__)
    return;
#endif
    ck_assert_int_eq(spin_see(getpid(), &known, &samples, &seen), 0);
    ck_assert_int_eq(seen.samples_count, 2);
    ck_assert_int_eq(seen.waiting_count, 1);
    ck_assert_int_eq(seen.work_ns, 400);
}

#if defined(__x86_64__)

static int spinning_count(const uint8_t *code, uint64_t vdso_end)
{
    const struct runtime_code runtime = {1, {{vdso_end - 4096, vdso_end, RUNTIME_VDSO}}};
    const struct probed_code known = {&runtime, &(struct spin_places){0}};
    const struct samples samples = {.count = 1, .addresses = {(uintptr_t)code}};
    struct spin_seen seen;

    ck_assert_int_eq(spin_see(getpid(), &known, &samples, &seen), 0);
    return seen.spinning_count;
}

/* In code of 32 bits, instructions that count have the codes of prefixes. */
START_TEST(a_loop_of_32_bits_that_counts_does_not_wait)
{
    /* L: inc %eax; cmp (%ecx,%eax,4),%edx; jg L; ret */
    static const uint8_t counts[] = {0x40, 0x3b, 0x14, 0x81, 0x7f, 0xfa, 0xc3};
    /* L: pause; cmpl $0,(%edi); je L; ret */
    static const uint8_t waits[] = {0xf3, 0x90, 0x83, 0x3f, 0x00, 0x74, 0xf9, 0xc3};

    ck_assert_int_eq(spinning_count(counts, 0xf7fc8000), 0);
    ck_assert_int_eq(spinning_count(waits, 0xf7fc8000), 1);
    ck_assert_int_eq(spinning_count(waits, 0x7ffff7fc8000), 1);
}

#endif

static _Atomic int32_t released;

/* Releases the spinning thread when it has run for a hundred samples, however long that takes. */
static void *release_later(void *clock)
{
    const int64_t end_ns = clock_read_ns(*(clockid_t *)clock) + 20 * NSEC_PER_MSEC;

    while (clock_read_ns(*(clockid_t *)clock) < end_ns)
        usleep(1000);
    released = 1;
    return NULL;
}

/* Spins in code that is mapped from a file of that name, if this machine can execute such code. */
static void spin_in(int dir_fd, const char *file, struct spin_seen *seen)
{
    /* L: pause; cmpl $0,(%rdi); je L; ret */
    static const uint8_t code[] = {0xf3, 0x90, 0x83, 0x3f, 0x00, 0x74, 0xf9, 0xc3};
    const struct thread_id own = id_of(getpid(), gettid());
    const int proc_fd = open("/proc", O_RDONLY | O_DIRECTORY);
    const int fd = openat(dir_fd, file, O_CREAT | O_RDWR, 0700);
    struct runtime_code map;
    struct perf_sampler *sampler;
    struct samples samples;
    pthread_t thread;
    clockid_t clock;

    *seen = (struct spin_seen){0};
    ck_assert_int_eq(write(fd, code, sizeof(code)), sizeof(code));
    void *mapped = mmap(NULL, sizeof(code), PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
    close(fd);
    ck_assert_ptr_ne(mapped, MAP_FAILED);
    runtime_code_read(proc_fd, own.pid, &map);
    const struct probed_code known = {&map, &(struct spin_places){0}};
    if (perf_sampler_open(&own, 200 * NSEC_PER_USEC, &sampler)) {
        printf("skip: no samples can be taken\n");
    } else {
        void (*spin)(_Atomic int32_t *);
        memcpy(&spin, &mapped, sizeof(spin));
        released = 0;
        ck_assert_int_eq(pthread_getcpuclockid(pthread_self(), &clock), 0);
        ck_assert_int_eq(pthread_create(&thread, NULL, release_later, &clock), 0);
        spin(&released);
        ck_assert_int_eq(pthread_join(thread, NULL), 0);
        perf_sampler_read(sampler, &samples);
        perf_sampler_close(sampler);
        ck_assert_int_eq(spin_see(own.pid, &known, &samples, seen), 0);
    }
    munmap(mapped, sizeof(code));
    close(proc_fd);
}

/* Caught threads wait in this code, within the signal handler: a trap in it would end the
 * program. */
START_TEST(who_is_caught_is_not_caught_once_more)
{
    const int dir_fd = tree_create();
    struct spin_seen seen;

    spin_in(dir_fd, "program", &seen);
    if (seen.samples_count) {
        ck_assert_int_gt(seen.spinning_count, 0);
        ck_assert_int_eq(seen.traps_count, 1);
        spin_in(dir_fd, "libjuggle-spinning.so", &seen);
        ck_assert_int_gt(seen.waiting_count, 0);
        ck_assert_int_eq(seen.spinning_count, 0);
        ck_assert_int_eq(seen.traps_count, 0);
    }
    tree_remove(dir_fd, ".");
}

/* ---- traps ---- */

/* Where loops are trapped, and which address they read. */
static const struct {
    const char *name;
    size_t at; /* where a thread is */
    size_t trap;
    int loads_count;
    struct spin_load loads[2];
    uint8_t code[CODE_SIZE];
} watched[] = {
    /* L: mov (%rdi),%eax; cmp %esi,%eax; jne out; pause; jmp L */
    {"at the pause, which nobody executes who need not wait",
     2,
     6,
     1,
     {{.base = 7, .index = SPIN_REGISTER_NONE, .size = 4}},
     {0x8b, 0x07, 0x39, 0xf0, 0x75, 0x04, 0xf3, 0x90, 0xeb, 0xf6, 0xc3}},
    /* L: nopl (%rax); cmp (%r12),%ebp; jne out; pause; jmp L */
    {"by a high register",
     11,
     9,
     1,
     {{.base = 12, .index = SPIN_REGISTER_NONE, .size = 4}},
     {0x0f, 0x1f, 0x00, 0x41, 0x3b, 0x2c, 0x24, 0x75, 0x04, 0xf3, 0x90, 0xeb, 0xf3}},
    /* L: cmp (%rdi),%eax; je L: at the jump back */
    {"without a pause at the jump",
     0,
     2,
     1,
     {{.base = 7, .index = SPIN_REGISTER_NONE, .size = 4}},
     {0x3b, 0x07, 0x74, 0xfc, 0xc3}},
    /* L: lock orq $0,(%rsp); mov 0x10(%rip),%eax; test %eax,%eax; je L */
    {"beside the code",
     0,
     14,
     1,
     {{.base = SPIN_REGISTER_NONE,
       .index = SPIN_REGISTER_NONE,
       .displacement = 0x10,
       .rip_relative = true,
       .size = 4}},
     {0xf0, 0x48, 0x83, 0x0c, 0x24, 0x00, 0x8b, 0x05, 0x10, 0x00, 0x00, 0x00, 0x85, 0xc0, 0x74,
      0xf0, 0xc3}},
    /* L: pause; cmpb $0,-8(%rbp,%rcx,2); je L; with another load of eight bytes before */
    {"an index, a scale, a byte and eight",
     0,
     0,
     2,
     {{.base = 6, .index = SPIN_REGISTER_NONE, .displacement = 0x100, .size = 8},
      {.base = 5, .index = 1, .scale_log2 = 1, .displacement = -8, .size = 1}},
     {0xf3, 0x90, 0x48, 0x8b, 0x86, 0x00, 0x01, 0x00, 0x00, 0x80, 0x7c, 0x4d, 0xf8, 0x00, 0x74,
      0xf0}},
    /* L: mov 8(%rbx),%rax; movslq (%rax,%r9,4),%rdx; sub $1,%edx; cmp %edx,%r8d; jg out; jmp L */
    {"nowhere, as the place is found anew",
     0,
     16,
     0,
     {{0}},
     {0x48, 0x8b, 0x43, 0x08, 0x4a, 0x63, 0x14, 0x88, 0x83, 0xea, 0x01, 0x41, 0x39, 0xd0, 0x7f,
      0x02, 0xeb, 0xee}},
};

START_TEST(loops_tell_where_they_are_caught_and_look)
{
    for (size_t i = 0; i < ARRAY_COUNT(watched); i++) {
        struct spin_loop loop;
        struct spin_watch watch;
        ck_assert_msg(
            spin_code_waits(watched[i].code, sizeof(watched[i].code), watched[i].at, &loop), "%s",
            watched[i].name);
        ck_assert_uint_eq(loop.trap, watched[i].trap);
        spin_code_watch(watched[i].code, &loop, &watch);
        ck_assert_int_eq(watch.count, watched[i].loads_count);
        for (int k = 0; k < watch.count; k++) {
            const struct spin_load *load = &watch.loads[k], *expected = &watched[i].loads[k];
            ck_assert_int_eq(load->base, expected->base);
            ck_assert_int_eq(load->index, expected->index);
            ck_assert_int_eq(load->scale_log2, expected->scale_log2);
            ck_assert_int_eq(load->displacement, expected->displacement);
            ck_assert_int_eq(load->rip_relative, expected->rip_relative);
            ck_assert_int_eq(load->size, expected->size);
        }
    }
}

/* The processor itself says which jumps it takes after a comparison. */
START_TEST(jumps_are_taken_as_the_flags_say)
{
    enum {
        ABOVE = 0x77,
        BELOW = 0x72,
        EQUAL = 0x74,
        NOT_EQUAL = 0x75,
        LESS = 0x7c,
        LESS_EQUAL = 0x7e,
        GREATER = 0x7f,
        SIGN = 0x78,
        PARITY = 0x7a,
        OVERFLOW = 0x70
    };
    static const struct {
        uint8_t condition;
        uint64_t taken, left;
    } jumps[] = {
        {OVERFLOW, 0x800, 0}, {BELOW, 0x1, 0x40},    {EQUAL, 0x40, 0x1},     {NOT_EQUAL, 0, 0x40},
        {ABOVE, 0, 0x41},     {SIGN, 0x80, 0x800},   {PARITY, 0x4, 0},       {LESS, 0x80, 0x880},
        {LESS, 0x800, 0},     {LESS_EQUAL, 0x40, 0}, {GREATER, 0x880, 0x40}, {GREATER, 0, 0x80},
    };

    for (size_t i = 0; i < ARRAY_COUNT(jumps); i++) {
        const uint8_t near[SPIN_TRAP_SIZE] = {jumps[i].condition};
        const uint8_t far[SPIN_TRAP_SIZE] = {0x0f, jumps[i].condition + 0x10};
        ck_assert(spin_code_jumps(near, jumps[i].taken) && spin_code_jumps(far, jumps[i].taken));
        ck_assert(!spin_code_jumps(near, jumps[i].left) && !spin_code_jumps(far, jumps[i].left));
    }
    ck_assert(spin_code_jumps((const uint8_t[SPIN_TRAP_SIZE]){0xeb, 0xf0}, 0));
    ck_assert(spin_code_jumps((const uint8_t[SPIN_TRAP_SIZE]){0xf3, 0x90}, 0));
}

START_TEST(a_thread_goes_on_where_the_instruction_would_have_led)
{
    enum { ZERO = 0x40 };
    static const struct {
        uint8_t code[SPIN_TRAP_SIZE];
        uint64_t flags, next;
    } instructions[] = {
        {{0xf3, 0x90, 0x74, 0x10}, ZERO, 1002},                   /* pause */
        {{0x74, 0xf0}, ZERO, 1002 - 16},                          /* je */
        {{0x74, 0xf0}, 0, 1002},                                  /* je, left */
        {{0x0f, 0x85, 0x00, 0xff, 0xff, 0xff}, 0, 1006 - 256},    /* jne, far */
        {{0x0f, 0x85, 0x00, 0xff, 0xff, 0xff}, ZERO, 1006},       /* jne, far, left */
        {{0xeb, 0xf0}, 0, 1002 - 16},                             /* jmp */
        {{0xe9, 0x00, 0xff, 0xff, 0xff, 0x90}, ZERO, 1005 - 256}, /* jmp, far */
    };

    for (size_t i = 0; i < ARRAY_COUNT(instructions); i++)
        ck_assert_uint_eq(spin_code_next(instructions[i].code, 1000, instructions[i].flags),
                          instructions[i].next);
}

SUITE("spin")
