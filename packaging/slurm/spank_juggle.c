/* SPDX-License-Identifier: BSD-3-Clause */
/* srun --juggle[=OPTIONS]: each task of a step executes `juggle --join OPTIONS -- PROGRAM ...`, which executes the program.
 *
 * Slurm loads this object into srun, where the option is checked, and into slurmstepd, where the command line of each task is
 * changed. It links with no library, because both programs have the functions of spank.h. A failure of this plugin does not keep a
 * task from running. If juggle itself refuses an option, for example a wrong value, the task ends with juggle's status.
 *
 * Slurm refuses a plugin that was built for another major or minor version of it. Since 23.11 a plugin may put words before a task's
 * command line. Before 23.11 it can only replace words: the program's name is replaced by that of juggle-task, a script, which finds
 * the program's name in the environment. There, a step with --multi-prog has command lines of its own, which no plugin sees. */
#pragma GCC visibility push(default)
#include <slurm/slurm.h>
#include <slurm/spank.h>

SPANK_PLUGIN(juggle, 1)
#pragma GCC visibility pop

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(20, 2, 0)
#error "this plugin was never tried with a Slurm before 20.02"
#endif
#define CAN_PREPEND (SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 11, 0))

enum { WORDS_MAX = 64, TEXT_MAX = 4096 };

/* What the option and plugstack.conf ask of this process. Global, because the interface has no other place for it. */
static struct {
    const char *juggle;
    const char *helper;
    int is_wanted;
    char options[TEXT_MAX];
} wish = {.juggle = JUGGLE_PATH, .helper = JUGGLE_TASK_PATH};

/* Checks that all words are options, because any other word would be taken for the program: values must follow "=". */
static int options_check(const char *options)
{
    if (strlen(options) >= TEXT_MAX) {
        slurm_error("--juggle: the options are longer than %d bytes", TEXT_MAX - 1);
        return -1;
    }
    char text[TEXT_MAX];
    snprintf(text, sizeof(text), "%s", options);
    int words_count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        if (word[0] != '-' || word[strspn(word, "-")] == '\0') {
            slurm_error("--juggle: '%s' is no option of juggle: write --juggle='--OPTION=VALUE ...'", word);
            return -1;
        }
        if (++words_count > WORDS_MAX) {
            slurm_error("--juggle: more than %d options", WORDS_MAX);
            return -1;
        }
    }
    for (const unsigned char *c = (const unsigned char *)options; *c; c++)
        if (*c < ' ' || *c == 127) {
            slurm_error("--juggle: the options have a control character");
            return -1;
        }
    return 0;
}

static int option_set(int val, const char *options, int is_remote)
{
    (void)val;
    (void)is_remote;
    if (!options)
        options = "";
    if (options_check(options))
        return -1;
    snprintf(wish.options, sizeof(wish.options), "%s", options);
    wish.is_wanted = 1;
    return 0;
}

static struct spank_option juggle_option = {
    .name = (char *)"juggle",
    .arginfo = (char *)"OPTIONS",
    .usage = (char *)"have the tasks of each node balanced by juggle (OPTIONS: of juggle, as in '--period=5ms --verbose')",
    .has_arg = 2,
    .cb = option_set,
};

/* In plugstack.conf: optional juggle.so [juggle=PATH] [helper=PATH]. */
static void site_settings(int count, char *words[])
{
    for (int i = 0; i < count; i++) {
        if (strncmp(words[i], "juggle=/", 8) == 0)
            wish.juggle = words[i] + 7;
        else if (strncmp(words[i], "helper=/", 8) == 0)
            wish.helper = words[i] + 7;
        else
            slurm_error("juggle.so: '%s' in plugstack.conf is ignored: it is neither juggle=/PATH nor helper=/PATH", words[i]);
    }
}

/* sbatch and salloc accept the option, too; it then holds for the steps of their job. */
int slurm_spank_init(spank_t spank, int count, char *words[])
{
    const spank_context_t context = spank_context();
    if (context != S_CTX_LOCAL && context != S_CTX_ALLOCATOR && context != S_CTX_REMOTE)
        return 0;
    site_settings(count, words);
    if (spank_option_register(spank, &juggle_option) != ESPANK_SUCCESS)
        slurm_error("juggle.so: --juggle cannot be offered");
    return 0;
}

/* False for a batch script or an interactive shell, which are not to be balanced. */
static int is_step_of_srun(spank_t spank)
{
    uint32_t step = 0;
    if (spank_get_item(spank, S_JOB_STEPID, &step) != ESPANK_SUCCESS)
        return 0;
    return step < SLURM_INTERACTIVE_STEP;
}

static int is_executable(const char *path)
{
    if (access(path, X_OK) == 0)
        return 1;
    slurm_error("--juggle: %s: %s: the task runs without", path, strerror(errno));
    return 0;
}

#if CAN_PREPEND
static void task_wrap(spank_t spank, int argc, char **argv)
{
    (void)argc;
    (void)argv;
    const char *words[WORDS_MAX + 4] = {wish.juggle, "--join"};
    int count = 2;
    char *rest = NULL;
    for (char *word = strtok_r(wish.options, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        words[count++] = word;
    words[count++] = "--";
    if (spank_prepend_task_argv(spank, count, words) != ESPANK_SUCCESS)
        slurm_error("--juggle: Slurm keeps the command line as it is: the task runs without");
}
#else
static void task_wrap(spank_t spank, int argc, char **argv)
{
    if (argc == 2 && strchr(argv[1], '\n')) {
        slurm_error("--juggle has no effect with --multi-prog before Slurm 23.11: write juggle --join into its file");
        return;
    }
    if (!is_executable(wish.helper))
        return;
    char *helper = strdup(wish.helper);
    if (!helper || spank_setenv(spank, "JUGGLE_TASK_LAUNCHER", wish.juggle, 1) != ESPANK_SUCCESS ||
        spank_setenv(spank, "JUGGLE_TASK_OPTIONS", wish.options, 1) != ESPANK_SUCCESS ||
        spank_setenv(spank, "JUGGLE_TASK_PROGRAM", argv[0], 1) != ESPANK_SUCCESS) {
        slurm_error("--juggle: there is no memory: the task runs without");
        free(helper);
        return;
    }
    /* argv is a copy that belongs to this process, which will execute the program. */
    argv[0] = helper;
}
#endif

int slurm_spank_task_init(spank_t spank, int count, char *words[])
{
    (void)count;
    (void)words;
    if (!wish.is_wanted || !is_step_of_srun(spank))
        return 0;
    int argc = 0;
    char **argv = NULL;
    if (spank_get_item(spank, S_JOB_ARGV, &argc, &argv) != ESPANK_SUCCESS || argc < 1 || !argv || !argv[0])
        return 0;
    const size_t length = strlen(argv[0]);
    if (length && argv[0][length - 1] == '/') {
        slurm_error("--juggle has no effect with --bcast to a folder: name the file in --bcast");
        return 0;
    }
    if (is_executable(wish.juggle))
        task_wrap(spank, argc, argv);
    return 0;
}
