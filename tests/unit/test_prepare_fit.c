/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/scratch.h"
#include "tests/lib/suite.h"

#include "juggle/command/find.h"
#include "juggle/prepare/fit.h"
#include "juggle/prepare/hindrances.h"
#include "juggle/prepare/places.h"
#include "juggle/prepare/policies.h"
#include "juggle/prepare/ranks.h"
#include "juggle/prepare/which_mpi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- ranks ---- */

static char folder[64];

static void program_make(const char *name)
{
    char path[128];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fclose(file);
    chmod(path, 0755);
}

/* Makes launchers and a program; PATH contains nothing else. */
static void programs_make(void)
{
    scratch_folder(folder, sizeof(folder));
    program_make("mpirun.openmpi");
    program_make("mpiexec.hydra");
    program_make("app");
    program_make("app.openmpi");
    program_make("compiler");
    program_make("env");
    setenv("PATH", folder, 1);
}

static char **words_of(const char *line)
{
    static char copy[256], *words[32];
    int count = 0;

    snprintf(copy, sizeof(copy), "%s", line);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        words[count++] = word;
    words[count] = NULL;
    return words;
}

static int ranks_of(const char *line)
{
    return ranks_of_command(words_of(line));
}

START_TEST(launchers_say_how_many_ranks_they_start)
{
    static const struct {
        const char *line;
        int ranks;
    } cases[] = {
        {"app -n 4", 0},
        {"app.openmpi -n 4", 0},
        {"compiler -n 4", 0},
        {"mpirun.openmpi -n 4 app", 4},
        {"mpirun.openmpi -np 4 --bind-to none app -n 9", 4},
        {"mpirun.openmpi --oversubscribe -c 3 app", 3},
        {"mpirun.openmpi -x PATH -n 3 env A=1 app", 3},
        {"mpirun.openmpi -n 2 app : -n 3 app -n 7", 5},
        {"mpirun.openmpi app -n 2", RANKS_UNKNOWN},
        {"mpirun.openmpi -n 2 app : app", RANKS_UNKNOWN},
        {"mpirun.openmpi -N 4 -n 16 app", 4},
        {"mpirun.openmpi -npernode 4 app", 4},
        {"mpirun.openmpi -n", RANKS_UNKNOWN},
        {"mpirun.openmpi -n x app", RANKS_UNKNOWN},
        {"mpiexec.hydra -n 6 app", 6},
        {"mpiexec.hydra -genv A 1 -np 6 -ppn 2 app", 2},
        {"mpiexec.hydra -ppn 2 app", 2},
        {"mpiexec.hydra app -n 6", 1},
        {"env A=1 mpiexec.hydra -n 6 app", 6},
        {"srun -n4 app", 4},
        {"srun -N 2 --ntasks=8 --ntasks-per-node=4 app", 4},
        {"srun --ntasks-per-node=4 app", 4},
        {"srun -c 3 app", 1},
        {"/usr/bin/srun -n 5 app", 5},
        /* A value that is also the name of a program. */
        {"srun -p env -n 64 app -n 7", 64},
        {"srun -n 64 -p env app -n 7", 64},
        {"srun -J app -p env --ntasks=8 app", 8},
        {"mpiexec.hydra -launcher env -n 4 app : -n 2 app", 6},
        {"mpirun.openmpi --map-by env -n 4 app", RANKS_UNKNOWN},
        {"srun --exclusive env app -n 9", 1},
        {"srun -p env app", 1},
        {"", 0},
    };

    unsetenv("SLURM_NTASKS");
    programs_make();
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
        ck_assert_msg(ranks_of(cases[i].line) == cases[i].ranks, "%s: %d", cases[i].line,
                      ranks_of(cases[i].line));
    setenv("SLURM_NTASKS", "12", 1);
    ck_assert_int_eq(ranks_of("srun app"), 12);
    ck_assert_int_eq(ranks_of("srun --exclusive app -n 3"), 12);
    unsetenv("SLURM_NTASKS");
    scratch_remove(folder);
}

START_TEST(launchers_are_looked_for_as_programs_are)
{
    char path[PATH_MAX];

    programs_make();
    ck_assert_int_eq(chdir(folder), 0);
    setenv("PATH", "/proc/nonexistent:", 1);
    ck_assert_int_eq(ranks_of("mpiexec.hydra -n 6 app"), 6);
    setenv("PATH", "/proc/nonexistent::/proc/nonexistent", 1);
    ck_assert_int_eq(ranks_of("mpiexec.hydra -n 6 app"), 6);
    setenv("PATH", "/proc/nonexistent", 1);
    ck_assert_int_eq(ranks_of("mpiexec.hydra -n 6 app"), 0);
    unsetenv("PATH");
    ck_assert(program_find("sh", X_OK, path));
    scratch_remove(folder);
}

/* ---- shares ---- */

START_TEST(ranks_and_their_threads_never_exceed_what_is_there)
{
    for (int node = 1; node <= 70; node++)
        for (int ranks = 1; ranks <= 140; ranks++)
            for (int own = 1; own <= node; own++) {
                const int threads = fit_share(own, node, ranks);
                ck_assert_int_ge(threads, 1);
                ck_assert_int_le(threads, own);
                if (threads > 1)
                    ck_assert_int_le(threads * ranks, ranks == 1 ? own : node);
            }
    ck_assert_int_eq(fit_share(8, 8, 2), 4);
    ck_assert_int_eq(fit_share(8, 8, 3), 2);
    ck_assert_int_eq(fit_share(2, 8, 2), 2); /* bound to two of eight processors */
}

/* ---- variables ---- */

static const char *const names[] = {"OMP_NUM_THREADS",
                                    "OMP_THREAD_LIMIT",
                                    "OPENBLAS_NUM_THREADS",
                                    "GOTO_NUM_THREADS",
                                    "MKL_NUM_THREADS",
                                    "MKL_DOMAIN_NUM_THREADS",
                                    "BLIS_NUM_THREADS",
                                    "BLIS_IC_NT",
                                    "VECLIB_MAXIMUM_THREADS",
                                    "NUMEXPR_NUM_THREADS",
                                    "RAYON_NUM_THREADS",
                                    "RAYON_RS_NUM_CPUS",
                                    "GOMAXPROCS",
                                    "MPI_LOCALNRANKS",
                                    "OMPI_COMM_WORLD_LOCAL_SIZE",
                                    "SLURM_STEP_TASKS_PER_NODE"};

static void clear_environment(void)
{
    for (size_t i = 0; i < ARRAY_COUNT(names); i++)
        unsetenv(names[i]);
}

static const char *applied(int fit)
{
    static char text[FIT_TEXT_SIZE];
    static struct settings settings;
    char *command[] = {"app", NULL};

    wish_init(&settings.wish);
    settings.fit = fit;
    fit_apply(&settings, command, text);
    return text;
}

START_TEST(all_runtimes_are_told)
{
    clear_environment();
    ck_assert_str_eq(applied(FIT_NONE), "none");
    ck_assert_ptr_null(getenv("OMP_NUM_THREADS"));
    ck_assert_str_eq(applied(3), "OMP_THREAD_LIMIT=3 OPENBLAS_NUM_THREADS=3 MKL_NUM_THREADS=3 "
                                 "BLIS_NUM_THREADS=3 NUMEXPR_NUM_THREADS=3 OMP_NUM_THREADS=3 "
                                 "VECLIB_MAXIMUM_THREADS=3 RAYON_NUM_THREADS=3 GOMAXPROCS=3");
    ck_assert_str_eq(getenv("OMP_NUM_THREADS"), "3");
    ck_assert_str_eq(getenv("GOMAXPROCS"), "3");
    ck_assert_str_eq(applied(5), "none");
    clear_environment();
}

START_TEST(what_the_user_has_set_is_not_overridden)
{
    clear_environment();
    setenv("OMP_NUM_THREADS", "7", 1);
    setenv("RAYON_RS_NUM_CPUS", "7", 1);
    ck_assert_str_eq(applied(3), "VECLIB_MAXIMUM_THREADS=3 GOMAXPROCS=3");
    ck_assert_str_eq(getenv("OMP_NUM_THREADS"), "7");
    clear_environment();
    setenv("GOTO_NUM_THREADS", "7", 1);
    setenv("BLIS_IC_NT", "2", 1);
    setenv("MKL_NUM_THREADS", "7", 1);
    ck_assert_str_eq(applied(3), "OMP_THREAD_LIMIT=3 NUMEXPR_NUM_THREADS=3 OMP_NUM_THREADS=3 "
                                 "VECLIB_MAXIMUM_THREADS=3 RAYON_NUM_THREADS=3 GOMAXPROCS=3");
    ck_assert_str_eq(getenv("MKL_NUM_THREADS"), "7");
    clear_environment();
}

START_TEST(a_rank_is_told_its_share)
{
    clear_environment();
    setenv("MPI_LOCALNRANKS", "4", 1);
    applied(9);
    ck_assert_str_eq(getenv("OMP_NUM_THREADS"), "2");
    clear_environment();
    setenv("MPI_LOCALNRANKS", "4", 1);
    applied(3);
    ck_assert_str_eq(getenv("OMP_NUM_THREADS"), "1");
    clear_environment();
    setenv("MPI_LOCALNRANKS", "100000", 1);
    applied(FIT_AUTO);
    ck_assert_str_eq(getenv("OMP_NUM_THREADS"), "1");
    clear_environment();
}

/* ---- binding ---- */

/* Tells whether the launcher binds ranks, on four processors. */
static bool bound(const char *line)
{
    return ranks_are_bound(words_of(line), 4);
}

START_TEST(launchers_bind_unless_told_otherwise)
{
    unsetenv("SLURM_CPU_BIND");
    unsetenv("OMPI_MCA_hwloc_base_binding_policy");
    unsetenv("PRTE_MCA_hwloc_default_binding_policy");
    programs_make();
    ck_assert(bound("mpirun.openmpi -n 2 app"));
    ck_assert(!bound("mpirun.openmpi -n 9 app"));
    ck_assert(!bound("mpirun.openmpi --bind-to none -n 2 app"));
    ck_assert(!bound("mpiexec.hydra -n 2 app"));
    ck_assert(bound("mpiexec.hydra -bind-to core -n 2 app"));
    ck_assert(!bound("app"));
    ck_assert(!bound("srun -n 2 app")); /* depends on the site */
    ck_assert(bound("srun --cpu-bind=cores -n 2 app"));
    ck_assert(!bound("srun --cpu-bind none -n 2 app"));
    setenv("OMPI_MCA_hwloc_base_binding_policy", "none", 1);
    ck_assert(!bound("mpirun.openmpi -n 2 app"));
    unsetenv("OMPI_MCA_hwloc_base_binding_policy");
    setenv("PRTE_MCA_hwloc_default_binding_policy", "none", 1);
    ck_assert(!bound("mpirun.openmpi -n 2 app"));
    unsetenv("PRTE_MCA_hwloc_default_binding_policy");
    scratch_remove(folder);
}

/* ---- reasons not to fit ---- */

static const char *set_name;
static char *set_value;

static char *variable(const char *name)
{
    return set_name && !strcmp(set_name, name) ? set_value : NULL;
}

/* Eight processors, all of which can be used all the time; only this variable is set. */
static struct setup free_setup(const char *name, char *value)
{
    set_name = name;
    set_value = value;
    return (struct setup){
        .processors = 8, .fitting = 8, .limit = "online", .ranks = 1, .variable = variable};
}

static void expect(const struct setup *setup, const char *words)
{
    struct hindrances hindrances;

    hindrances_find(setup, &hindrances);
    ck_assert_msg(hindrances.count == (words ? 1 : 0), "%d: %s", hindrances.count,
                  hindrances.count ? hindrances.lines[0] : "");
    if (words)
        expect_says(hindrances.lines[0], words);
}

START_TEST(each_hindrance_is_told_with_its_remedy)
{
    struct setup setup = free_setup(NULL, NULL);

    expect(&setup, NULL);
    setup.ranks = 4;
    expect(&setup, NULL);
    setup.bound = true;
    setup.processors = 1;
    setup.fitting = 1;
    expect(&setup, "bound to 1 processor by its launcher");
    setup = free_setup(NULL, NULL);
    setup.processors = setup.fitting = 1;
    setup.limit = "cpuset";
    expect(&setup, "one processor only (cpuset)");
    setup = free_setup(NULL, NULL);
    setup.started = 2;
    setup.binds = true;
    expect(&setup, "--bind-to none");
}

START_TEST(too_many_threads_are_told)
{
    struct setup setup = free_setup(NULL, NULL);

    setup.fitting = 2;
    setup.limit = "quota";
    expect(&setup, "a thread for each of 8 processors, and 2 are of use (quota): use --fit");
    setup.fitting = 1;
    expect(&setup, "a thread for each of 8 processors, and 1 is of use (quota): use --fit");
    setup.fit = true;
    expect(&setup, NULL);
    setup = free_setup("OMP_NUM_THREADS", "9");
    expect(&setup, "OMP_NUM_THREADS=9 starts more threads than are of use, 8");
    setup = free_setup("OMP_NUM_THREADS", "8");
    expect(&setup, NULL);
    setup.started = 2;
    expect(&setup, "2 ranks with OMP_NUM_THREADS=8 are 16 threads, and 8 are of use");
    setup = free_setup("OMP_NUM_THREADS", "4");
    setup.started = 2;
    expect(&setup, NULL);
}

START_TEST(pins_and_spinning_are_told)
{
    struct setup setup = free_setup("OMP_PROC_BIND", "close");

    expect(&setup, "OMP_PROC_BIND=close pins threads");
    setup = free_setup("OMP_PROC_BIND", "False");
    expect(&setup, NULL);
    setup = free_setup("GOMP_CPU_AFFINITY", "0-7");
    expect(&setup, "GOMP_CPU_AFFINITY=0-7");
    setup.processors = setup.fitting = 0; /* fewer processors than threads */
    expect(&setup, "for good");
    setup = free_setup("OMP_WAIT_POLICY", "ACTIVE");
    expect(&setup, NULL);
    setup.started = 9;
    expect(&setup, "OMP_WAIT_POLICY=active");
    setup = free_setup("OMP_WAIT_POLICY", "passive");
    setup.started = 9;
    expect(&setup, NULL);
}

START_TEST(a_long_value_cuts_no_remedy_off)
{
    static const struct {
        const char *name, *words;
    } cases[] = {
        {"SLURM_CPU_BIND", "srun --cpu-bind=none"},
        {"GOMP_CPU_AFFINITY", "unset it, or --override"},
        {"OMP_NUM_THREADS", "unset it, and use --fit"},
    };
    char value[400] = "9,";

    memset(value + 2, '1', sizeof(value) - 3);
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct setup setup = free_setup(cases[i].name, value);
        setup.bound = true;
        expect(&setup, cases[i].words);
    }
}

START_TEST(places_are_read_as_runtimes_read_them)
{
    static const struct {
        const char *text, *list; /* NULL: the text is refused */
    } cases[] = {
        {"{0}", "0"},
        {"{0,1},{4}", "0-1,4"},
        {"{0:4}", "0-3"},
        {"{0:3:2}", "0,2,4"},
        {"{0:2}:3:4", "0-1,4-5,8-9"},
        {"3,5", "3,5"},
        {"{6}:3:-2", "2,4,6"},
        {" { 1 , 2 } ", "1-2"},
        {"0 3 4-8:2", "0,3-4,6,8"},
        {"0-2", "0-2"},
        {"cores", NULL},
        {"threads(4)", NULL},
        {"{0", NULL},
        {"{}", NULL},
        {"", NULL},
        {"{0}x", NULL},
        {"{9999}", NULL},
        {"{0:99999}", NULL},
        {"{0}:2:-1", NULL},
        {"5-3", NULL},
        {"-1", NULL},
        {"{0:0}", NULL},
        {"!{0}", NULL},
    };

    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct cpu_mask named, expected;
        cpu_mask_clear(&named);
        const int error = places_parse(cases[i].text, &named);
        ck_assert_msg(!error == (cases[i].list != NULL), "'%s': %d", cases[i].text, error);
        if (error)
            continue;
        ck_assert_int_eq(cpu_mask_parse(cases[i].list, &expected), 0);
        ck_assert_msg(cpu_mask_equal(&named, &expected), "%s", cases[i].text);
    }
}

START_TEST(places_outside_of_the_cpuset_are_told)
{
    struct setup setup = free_setup("OMP_PLACES", "{0},{8}");
    struct cpu_mask usable;

    ck_assert_int_eq(cpu_mask_parse("0-7", &usable), 0);
    setup.usable = &usable;
    expect(&setup, "OMP_PLACES={0},{8} names processors that may not be used here, cpu 8");
    expect(&setup, "of cpu 0-7");
    setup = free_setup("OMP_PLACES", "{0:8}");
    setup.usable = &usable;
    expect(&setup, NULL);
    setup = free_setup("OMP_PLACES", "cores");
    setup.usable = &usable;
    expect(&setup, NULL);
}

START_TEST(slurm_is_told)
{
    struct setup setup = free_setup("SLURM_CPU_BIND", "quiet,mask_cpu:0x1");

    expect(&setup, NULL);
    setup.bound = true;
    setup.processors = setup.fitting = 1;
    expect(&setup, "bound to 1 processor by Slurm (SLURM_CPU_BIND=quiet,mask_cpu:0x1)");
    expect(&setup, "srun --cpu-bind=none");
}

static char *slurm_variable(const char *name)
{
    static char threads[] = "4", given[] = "2";

    return !strcmp(name, "OMP_NUM_THREADS")       ? threads
           : !strcmp(name, "SLURM_CPUS_PER_TASK") ? given
                                                  : NULL;
}

START_TEST(what_slurm_gives_each_task_limits_tasks_beside_others)
{
    struct setup setup = free_setup(NULL, NULL);

    setup.variable = slurm_variable;
    setup.ranks = 2;
    expect(&setup, "OMP_NUM_THREADS=4, and Slurm gives each task 2 processors");
    setup.ranks = 1;
    expect(&setup, NULL);
    setup.started = 2;
    expect(&setup, "--cpus-per-task=4");
    setup.started = 1;
    expect(&setup, NULL);
}

START_TEST(crowds_on_few_processors_are_told)
{
    struct setup setup = free_setup(NULL, NULL);
    struct cpu_mask usable;
    struct pins pins = {.threads_count = 4};
    struct bindings bindings = {0};

    ck_assert_int_eq(cpu_mask_parse("0-7", &usable), 0);
    ck_assert_int_eq(cpu_mask_parse("1-2", &pins.processors), 0);
    ck_assert_int_eq(cpu_mask_parse("1-2,4", &pins.busy), 0);
    setup.usable = &usable;
    setup.pins = &pins;
    setup.bindings = &bindings;
    expect(&setup, "4 running threads of others are pinned to 2 processors (cpu 1-2) while 5 are "
                   "idle: ");
    pins.threads_count = 2; /* each on a processor of its own */
    expect(&setup, NULL);
    pins.threads_count = 4;
    pins.busy = usable; /* no other processor is free */
    expect(&setup, NULL);
    bindings = (struct bindings){.launchers = {70, 80}, .names = {{"mpirun"}, {"hydra_pmi_proxy"}}};
    ck_assert_int_eq(cpu_mask_parse("1", &bindings.shared), 0);
    expect(&setup, "two launchers are bound to the same processors, cpu 1: mpirun (process 70) and "
                   "hydra_pmi_proxy (process 80); start them with --bind-to none");
}

static void expect_policy(enum runtime runtime, bool shared, const char *name, char *value,
                          const char *words)
{
    char text[POLICY_TEXT_SIZE];

    set_name = name;
    set_value = value;
    policy_describe(runtime, shared, variable, text);
    expect_says(text, words);
    ck_assert_msg(strchr(words, ':') || !strchr(text, ':'), "a remedy for nothing: %s", text);
}

START_TEST(each_runtime_waits_as_its_variables_say)
{
    expect_policy(RUNTIME_GOMP, true, NULL, NULL, "by default threads that wait spin for up to");
    expect_policy(RUNTIME_GOMP, true, "OMP_WAIT_POLICY", "PASSIVE", "sleep at once (OMP_WAIT_");
    expect_policy(RUNTIME_GOMP, true, "OMP_WAIT_POLICY", "active",
                  "spin for minutes (OMP_WAIT_POLICY=active): unset it");
    expect_policy(RUNTIME_GOMP, false, "OMP_WAIT_POLICY", "active", "spin for minutes");
    expect_policy(RUNTIME_GOMP, true, "GOMP_SPINCOUNT", "0", "sleep at once (GOMP_SPINCOUNT=0)");
    expect_policy(RUNTIME_LIBOMP, true, NULL, NULL, "200 ms, then sleep: KMP_BLOCKTIME=0");
    expect_policy(RUNTIME_LIBOMP, true, "KMP_BLOCKTIME", "0", "sleep at once");
    expect_policy(RUNTIME_OPENMPI, true, "OMPI_MCA_mpi_yield_when_idle", "1", "wait yield (");
    expect_policy(RUNTIME_OPENMPI, true, "OMPI_MCA_mpi_yield_when_idle", "0", "=0): set it to 1");
    expect_policy(RUNTIME_MPICH, true, NULL, NULL, "spin without end: juggle has them");
    expect_policy(RUNTIME_MPICH, false, NULL, NULL, "spin without end");
}

SUITE("prepare_fit")
