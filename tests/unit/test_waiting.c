/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/scratch.h"
#include "tests/lib/chance.h"

#include "juggle/prepare/elf.h"
#include "juggle/prepare/waiting.h"
#include "juggle/prepare/which_mpi.h"
#include "libjuggle/waiting/crowd.h"
#include "libjuggle/waiting/wait_style.h"

#include <errno.h>
#include <link.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- wait styles ---- */

START_TEST(who_has_a_processor_for_each_looks_again_at_once)
{
    struct wait_style style = {.oversubscribed = false};

    for (int i = 0; i < 100000; i++)
        ck_assert_int_eq(wait_style_next(&style, INT64_C(1) << 40).kind, WAIT_STEP_LOOK);
}

START_TEST(who_shares_looks_then_yields_then_naps)
{
    struct wait_style style = {.oversubscribed = true};
    enum wait_step_kind last = WAIT_STEP_LOOK;
    int kinds = 0;

    for (int i = 0; i < 1000; i++) {
        const enum wait_step_kind kind = wait_style_next(&style, i * NSEC_PER_USEC).kind;
        ck_assert_int_ge(kind, last);
        kinds |= 1 << kind;
        last = kind;
    }
    ck_assert_int_eq(kinds, 1 << WAIT_STEP_LOOK | 1 << WAIT_STEP_YIELD | 1 << WAIT_STEP_NAP);
}

static enum wait_step_kind kind_after(struct wait_style *style, int looks, int64_t waited_ns)
{
    enum wait_step_kind kind = WAIT_STEP_LOOK;

    wait_style_begin(style, true);
    for (int i = 0; i < looks; i++)
        kind = wait_style_next(style, waited_ns).kind;
    return kind;
}

static void waits_last(struct wait_style *style, int64_t waited_ns)
{
    for (int i = 0; i < 20; i++) {
        kind_after(style, 1, 0);
        wait_style_end(style, waited_ns);
    }
}

/* A thread whose waits last for milliseconds leaves the processor soon; when its waits are short
 * again it does not. */
START_TEST(who_waits_for_long_mostly_naps_soon)
{
    struct wait_style style = {.oversubscribed = true};

    waits_last(&style, 5 * NSEC_PER_MSEC);
    ck_assert_int_eq(kind_after(&style, 110, 50 * NSEC_PER_USEC), WAIT_STEP_YIELD);
    ck_assert_int_eq(kind_after(&style, 1000, 50 * NSEC_PER_USEC), WAIT_STEP_NAP);
    waits_last(&style, 20 * NSEC_PER_USEC);
    ck_assert_int_eq(kind_after(&style, 1000, 50 * NSEC_PER_USEC), WAIT_STEP_YIELD);
    /* Nothing is known of a thread that has not waited yet, nor of waits in which it never
     * looked. */
    style = (struct wait_style){0};
    for (int i = 0; i < 20; i++) {
        wait_style_begin(&style, true);
        wait_style_end(&style, 20 * NSEC_PER_USEC);
    }
    ck_assert_int_eq(kind_after(&style, 1000, 50 * NSEC_PER_USEC), WAIT_STEP_NAP);
}

/* However often the thread has looked, if waits are short. */
START_TEST(no_nap_is_longer_than_an_eighth_of_the_wait)
{
    struct wait_style style = {.oversubscribed = true, .short_by_ns = NSEC_PER_USEC};

    for (int64_t waited_ns = 0; waited_ns < 10 * NSEC_PER_MSEC; waited_ns += NSEC_PER_USEC)
        for (int i = 0; i < 3; i++) {
            const struct wait_step step = wait_style_next(&style, waited_ns);
            ck_assert(step.kind != WAIT_STEP_NAP || step.nap_ns <= waited_ns / 8);
        }
}

START_TEST(naps_grow_with_the_wait_and_are_bounded)
{
    struct wait_style style = {.oversubscribed = true};
    int64_t last_ns = 0;

    while (!wait_style_wants_clock(&style))
        wait_style_next(&style, 0);
    for (int64_t waited_ns = NSEC_PER_MSEC; waited_ns < NSEC_PER_SEC; waited_ns *= 2) {
        const int64_t nap_ns = wait_style_next(&style, waited_ns).nap_ns;
        ck_assert_int_ge(nap_ns, last_ns);
        ck_assert_int_gt(nap_ns, 0);
        ck_assert_int_le(nap_ns, NSEC_PER_MSEC);
        last_ns = nap_ns;
    }
    ck_assert_int_gt(last_ns, wait_style_next(&style, NSEC_PER_MSEC).nap_ns);
}

/* ---- crowd ---- */

/* The variables of the tests, because those of the job's launcher may be set here. */
static const char *names[2];
static char *values[2];

static char *variable(const char *name)
{
    for (int i = 0; i < 2; i++)
        if (names[i] && !strcmp(names[i], name))
            return values[i];
    return NULL;
}

static int processes_of(const char *name, char *value)
{
    names[0] = name;
    values[0] = value;
    return crowd_processes(variable);
}

START_TEST(launchers_tell_how_many_ranks_there_are)
{
    ck_assert_int_eq(processes_of("OMPI_COMM_WORLD_LOCAL_SIZE", "3"), 3);
    ck_assert_int_eq(processes_of("MPI_LOCALNRANKS", "16"), 16);
    ck_assert_int_eq(processes_of("SLURM_STEP_TASKS_PER_NODE", "4(x2),1"), 4);
    ck_assert_int_eq(processes_of("SLURM_STEP_TASKS_PER_NODE", "4,1"), 4);
    ck_assert_int_eq(processes_of("HOME", "3"), 1);
    ck_assert_int_eq(processes_of("MPI_LOCALNRANKS", ""), 1);
    ck_assert_int_eq(processes_of("MPI_LOCALNRANKS", "-3"), 1);
    ck_assert_int_eq(processes_of("MPI_LOCALNRANKS", "99999999999999999999"), 1);
    ck_assert_int_eq(processes_of("MPI_LOCALNRANKS", "3x"), 1);
}

static int processes_on(char *node, char *counts)
{
    names[1] = "SLURM_NODEID";
    values[1] = node;
    const int count = processes_of("SLURM_STEP_TASKS_PER_NODE", counts);
    names[1] = NULL;
    return count;
}

START_TEST(slurm_tells_how_many_ranks_this_node_has)
{
    ck_assert_int_eq(processes_on("0", "4,1"), 4);
    ck_assert_int_eq(processes_on("1", "4,1"), 1);
    ck_assert_int_eq(processes_on("1", "4(x2),3(x2),1"), 4);
    ck_assert_int_eq(processes_on("2", "4(x2),3(x2),1"), 3);
    ck_assert_int_eq(processes_on("3", "4(x2),3(x2),1"), 3);
    ck_assert_int_eq(processes_on("4", "4(x2),3(x2),1"), 1);
    ck_assert_int_eq(processes_on("3", "5(x4)"), 5);
    /* A text that says nothing of this node stands for one rank; without a number the node is the
     * first. */
    ck_assert_int_eq(processes_on("2", "4,3"), 1);
    ck_assert_int_eq(processes_on("1", "4(x"), 1);
    ck_assert_int_eq(processes_on("1", "4(y2),3"), 1);
    ck_assert_int_eq(processes_on("1", "4(x0),3"), 1);
    ck_assert_int_eq(processes_on("1", "4x,3"), 1);
    ck_assert_int_eq(processes_on("2", "4,x,3"), 1);
    ck_assert_int_eq(processes_on("here", "4,1"), 4);
    ck_assert_int_eq(processes_on("99999999999999999999", "4,1"), 4);
}

START_TEST(ranks_and_their_threads_share_what_is_there)
{
    names[0] = "MPI_LOCALNRANKS";
    values[0] = "2";
    names[1] = NULL;
    ck_assert(!crowd_oversubscribes(variable, 2));
    ck_assert(crowd_oversubscribes(variable, 1));
    names[1] = "OMP_NUM_THREADS";
    values[1] = "2";
    ck_assert(crowd_oversubscribes(variable, 3));
    ck_assert(!crowd_oversubscribes(variable, 4));
    values[1] = "4,2"; /* the first number is for outer regions */
    ck_assert(crowd_oversubscribes(variable, 7));
    names[1] = NULL;
}

static size_t mask_size; /* of a kernel that supports more processors than one cpu_set_t holds */

/* Stands in for the C library's function if mask_size is set: the kernel refuses smaller sets. */
int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
    if (!mask_size)
        return (int)syscall(SYS_sched_getaffinity, pid, size, set) < 0 ? -1 : 0;
    if (size < mask_size) {
        errno = EINVAL;
        return -1;
    }
    memset(set, 0, size);
    for (int cpu = 2000; cpu < 2003; cpu++)
        CPU_SET_S((size_t)cpu, size, set);
    return 0;
}

START_TEST(a_mask_is_read_on_the_largest_machines_too)
{
    mask_size = 4096 / 8;
    ck_assert_int_eq(crowd_processors(), 3);
    mask_size = 0;
}

/* ---- which MPI ---- */

static char folder[64];

static char *file_with(const char *name, const char *bytes, size_t size)
{
    static char paths[8][128];
    static int next;
    char *path = paths[next++ % 8];

    snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fwrite(bytes, 1, size, file);
    fclose(file);
    chmod(path, 0755);
    return path;
}

/* An executable of one segment that needs some libraries, whose names are separated by blanks. */
struct program {
    ElfW(Ehdr) header;
    ElfW(Phdr) segments[2];
    ElfW(Dyn) dynamic[8];
    char names[64];
};

enum { PROGRAM_ADDRESS = 0x400000 };

static struct program program_of(const char *needed)
{
    struct program program = {
        .header = {.e_phoff = offsetof(struct program, segments),
                   .e_phentsize = sizeof(ElfW(Phdr)),
                   .e_phnum = ARRAY_COUNT(program.segments)},
        .segments = {{.p_type = PT_LOAD, .p_vaddr = PROGRAM_ADDRESS, .p_filesz = sizeof(program)},
                     {.p_type = PT_DYNAMIC,
                      .p_offset = offsetof(struct program, dynamic),
                      .p_filesz = sizeof(program.dynamic)}},
    };
    int count = 0;

    memcpy(program.header.e_ident, ELFMAG, SELFMAG);
    program.header.e_ident[EI_CLASS] = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
    strcpy(program.names, needed);
    for (char *name = strtok(program.names, " "); name; name = strtok(NULL, " "))
        program.dynamic[count++] = (ElfW(Dyn)){.d_tag = DT_NEEDED,
                                               .d_un.d_val = (size_t)(name - program.names)};
    program.dynamic[count] = (ElfW(Dyn)){
        .d_tag = DT_STRTAB, .d_un.d_ptr = PROGRAM_ADDRESS + offsetof(struct program, names)};
    return program;
}

static char *program_with(const char *name, const char *needed)
{
    const struct program program = program_of(needed);

    return file_with(name, (const char *)&program, sizeof(program));
}

static enum mpi_kind kind_of(char *first, char *second)
{
    char *const command[] = {first, second, NULL};

    return which_mpi(command);
}

/* A file that is cut off anywhere, or that has any byte changed, is read within its bounds. */
START_TEST(a_broken_program_is_read_within_its_bounds)
{
    const struct program whole = program_of("libm.so.6 libmpi.so.40");
    int found_count = 0;

    ck_assert(elf_needs((const char *)&whole, sizeof(whole), "libmpi.so."));
    ck_assert(!elf_needs((const char *)&whole, sizeof(whole), "libmpich.so."));
    for (size_t size = 0; size < sizeof(whole); size++) {
        char *cut = malloc(size + 1);
        memcpy(cut, &whole, size);
        cut = realloc(cut, size ? size : 1);
        found_count += elf_needs(cut, size, "libmpi.so.40");
        free(cut);
    }
    ck_assert_int_lt(found_count, (int)sizeof(whole.names));
    for (size_t i = 0; i < sizeof(whole); i++) {
        char *changed = malloc(sizeof(whole));
        memcpy(changed, &whole, sizeof(whole));
        changed[i] = (char)~changed[i];
        (void)elf_needs(changed, sizeof(whole), "libmpi.so.40");
        free(changed);
    }
}

START_TEST(a_program_tells_its_mpi_by_its_libraries)
{
    static const char script[] = "#!/bin/sh\n# libmpi.so.40\n";

    scratch_folder(folder, sizeof(folder));
    char *app = program_with("app", "libmpi_cxx.so.40 libmpi.so.40");
    ck_assert_int_eq(kind_of(app, NULL), MPI_OPENMPI);
    ck_assert_int_eq(kind_of(program_with("b", "libm.so.6 libmpich.so.12"), NULL), MPI_MPICH);
    ck_assert_int_eq(kind_of(program_with("c", "libmpi.so.12"), NULL), MPI_MPICH);
    ck_assert_int_eq(kind_of(file_with("d", script, sizeof(script)), NULL), MPI_NONE);
    ck_assert_int_eq(kind_of(file_with("e", "", 0), NULL), MPI_NONE);
    ck_assert_int_eq(kind_of(file_with("compiler", script, sizeof(script)), NULL), MPI_NONE);
    ck_assert_int_eq(kind_of(program_with("mpich.openmpi", "libmpich.so.12"), NULL), MPI_MPICH);
    ck_assert_int_eq(kind_of("/proc/nonexistent", app), MPI_OPENMPI);
    ck_assert_int_eq(kind_of("env", app), MPI_OPENMPI);
    ck_assert_int_eq(kind_of("sh", "-c"), MPI_NONE);
    ck_assert_int_eq(kind_of("", NULL), MPI_NONE);
    ck_assert_int_eq(kind_of("/", NULL), MPI_NONE);
    /* The launcher's name decides before the program that it starts. */
    ck_assert_int_eq(kind_of(file_with("mpiexec.hydra", script, sizeof(script)), app), MPI_MPICH);
    scratch_remove(folder);
}

/* To look up a hundred thousand file names took seconds. */
START_TEST(only_the_first_words_are_looked_up)
{
    char *command[WHICH_WORDS_MAX + 2] = {0};

    for (int i = 0; i < WHICH_WORDS_MAX; i++)
        command[i] = "/nonexistent";
    scratch_folder(folder, sizeof(folder));
    char *app = program_with("app", "libmpi.so.40");
    command[WHICH_WORDS_MAX] = app;
    ck_assert_int_eq(which_mpi(command), MPI_NONE);
    ck_assert(!which_needs(command, "libmpi.so."));
    command[WHICH_WORDS_MAX - 1] = app;
    ck_assert_int_eq(which_mpi(command), MPI_OPENMPI);
    ck_assert(which_needs(command, "libmpi.so."));
    scratch_remove(folder);
}

/* ---- what a program is given ---- */

static const char *given(enum waiting_means means, int threads, bool listens, char *program)
{
    static char text[8192];
    static struct settings settings;
    char *const command[] = {program, NULL};
    struct waiting *waiting;

    wish_init(&settings.wish);
    settings.waiting = means;
    settings.wish.threads = threads;
    strcpy(settings.wish.cpus, "0-1");
    ck_assert_int_eq(waiting_create(&settings, command, listens, &waiting), 0);
    ck_assert(!!waiting_page(waiting) == (listens && means != WAITING_NONE));
    snprintf(text, sizeof(text), "%s", waiting_text(waiting));
    waiting_destroy(waiting);
    return text;
}

static void clear_environment(void)
{
    static const char *const variables[] = {
        "OMP_WAIT_POLICY", "GOMP_SPINCOUNT",     "KMP_BLOCKTIME", "OMPI_MCA_mpi_yield_when_idle",
        "OMP_NUM_THREADS", "OMP_TOOL_LIBRARIES", "LD_PRELOAD"};

    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
        unsetenv(variables[i]);
}

START_TEST(nothing_is_given_where_nothing_is_shared_or_wanted)
{
    clear_environment();
    ck_assert_str_eq(given(WAITING_NONE, 3, true, "true"), "none");
    ck_assert_str_eq(given(WAITING_AUTO, 2, true, "true"), "none");
    ck_assert_str_eq(given(WAITING_AUTO, 2, true, "mpirun"), "none");
    ck_assert_str_eq(given(WAITING_AUTO, 0, false, "true"), "none");
}

START_TEST(what_the_user_has_set_stays)
{
    clear_environment();
    ck_assert_str_eq(given(WAITING_ENVIRONMENT, 3, true, "true"), "OMP_WAIT_POLICY=passive");
    setenv("KMP_BLOCKTIME", "infinite", 1);
    ck_assert_str_eq(given(WAITING_ENVIRONMENT, 3, true, "true"), "none");
    unsetenv("KMP_BLOCKTIME");
    setenv("OMP_WAIT_POLICY", "active", 1);
    ck_assert_str_eq(given(WAITING_ENVIRONMENT, 3, true, "true"), "none");
    setenv("OMP_TOOL_LIBRARIES", "/users", 1);
    ck_assert_str_eq(given(WAITING_PRELOAD, 3, true, "true"), "none");
    clear_environment();
}

/* ---- random waits ---- */

/* Waits follow each other, and each look in them takes a moment: a thread that shares its
 * processor leaves it for most of a long wait, and no wait ends later than by a nap that it has
 * earned. */
static void wait_for_anything(void)
{
    struct wait_style style = {0};

    for (int i = 0; i < 40; i++) {
        const bool shared = !one_in(4);
        const int64_t until_ns = below(INT64_C(1) << below(shared ? 29 : 18));
        int64_t waited_ns = 0, napped_ns = 0;

        wait_style_begin(&style, shared);
        while (waited_ns < until_ns) {
            const struct wait_step step = wait_style_next(&style, waited_ns);
            waited_ns += between(100, 1000);
            if (step.kind != WAIT_STEP_NAP)
                continue;
            ALWAYS(shared && step.nap_ns > 0 && step.nap_ns <= NSEC_PER_MSEC);
            ALWAYS(step.nap_ns <= max_i64(50 * NSEC_PER_USEC, waited_ns / 8));
            napped_ns += step.nap_ns;
            waited_ns += step.nap_ns;
        }
        ALWAYS(!shared || until_ns < 10 * NSEC_PER_MSEC || napped_ns > waited_ns * 8 / 10);
        wait_style_end(&style, waited_ns);
    }
}

START_TEST(whoever_shares_naps_for_most_of_a_long_wait_and_never_for_long)
{
    live_with_seeds(300, wait_for_anything);
}

SUITE("waiting")
