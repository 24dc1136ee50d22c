/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/prepare/ranks.h"

#include "juggle/command/find.h"
#include "juggle/prepare/which_mpi.h"
#include "libjuggle/linux/bindings.h"
#include "libjuggle/linux/procfs.h"
#include "libjuggle/waiting/crowd.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum launcher {
    LAUNCHER_NONE = MPI_NONE,
    LAUNCHER_OPENMPI = MPI_OPENMPI,
    LAUNCHER_MPICH = MPI_MPICH,
    LAUNCHER_SLURM = MPI_KINDS_COUNT,
};

struct spelling {
    const char *name;
    unsigned launchers; /* a bit for each launcher that has this option */
};

#define OF(launcher) (1U << (launcher))
#define OF_ALL       (OF(LAUNCHER_OPENMPI) | OF(LAUNCHER_MPICH) | OF(LAUNCHER_SLURM))

static const struct spelling counts[] = {
    {"-n", OF_ALL},
    {"--n", OF(LAUNCHER_OPENMPI)},
    {"-np", OF(LAUNCHER_OPENMPI) | OF(LAUNCHER_MPICH)},
    {"--np", OF(LAUNCHER_OPENMPI)},
    {"-c", OF(LAUNCHER_OPENMPI)},
    {"--ntasks", OF(LAUNCHER_SLURM)},
};

static const struct spelling per_node[] = {
    {"-N", OF(LAUNCHER_OPENMPI)},         {"-npernode", OF(LAUNCHER_OPENMPI)},
    {"--npernode", OF(LAUNCHER_OPENMPI)}, {"-ppn", OF(LAUNCHER_MPICH)},
    {"-perhost", OF(LAUNCHER_MPICH)},     {"--ntasks-per-node", OF(LAUNCHER_SLURM)},
};

/* Returns the launcher among the words, and sets *words to the words behind it. */
static enum launcher launcher_find(char *const **words)
{
    enum launcher launcher = LAUNCHER_NONE;

    for (int i = 0; i < WHICH_WORDS_MAX && **words && !launcher; i++, (*words)++) {
        const char *slash = strrchr(**words, '/');
        launcher = strcmp(slash ? slash + 1 : **words, "srun")
                       ? (enum launcher)which_launcher(**words)
                       : LAUNCHER_SLURM;
    }
    return launcher;
}

static int number_of(const char *text)
{
    char *end;
    const long number = strtol(text, &end, 10);

    return *text && !*end && number > 0 && number < RANKS_UNKNOWN ? (int)number : 0;
}

/* Parses "-n 4", "-n4" or "--ntasks=4". Returns the number, and in *words_count how many words
 * it took; 0: it is none of these options. */
static int option_value(const struct spelling *spellings, size_t spellings_count,
                        enum launcher launcher, char *const *words, int *words_count)
{
    for (size_t i = 0; i < spellings_count; i++) {
        const size_t length = strlen(spellings[i].name);
        const char *rest = words[0] + length;
        if (!(spellings[i].launchers & OF(launcher)) ||
            strncmp(words[0], spellings[i].name, length) != 0)
            continue;
        *words_count = *rest ? 1 : 2;
        if (!*rest && !words[1])
            return 0;
        const int number = number_of(!*rest ? words[1] : rest + (*rest == '='));
        if (number)
            return number;
    }
    return 0;
}

/* One of several programs that are separated by ":". */
struct segment {
    int count;
    int least;        /* its ranks if a word that was taken for an option's value is its program;
                         0: there was no such word */
    bool has_program; /* its program has been found: the words that follow are the program's
                         arguments */
};

/* Returns the ranks of one program. `most` is the number on each node, of which only the
 * launcher knows how many there are; 0: not given. */
static int segment_count(const struct segment *segment, enum launcher launcher, int most)
{
    const char *tasks = launcher == LAUNCHER_SLURM ? getenv("SLURM_NTASKS") : NULL;

    if (segment->count)
        return (int)max_i64(segment->count, segment->least);
    if (tasks && number_of(tasks))
        return number_of(tasks);
    return most || launcher == LAUNCHER_OPENMPI ? RANKS_UNKNOWN : 1;
}

/* Programs have the names of values: "-p batch -n 8", "-launcher ssh -n 8". */
static bool may_be_value(char *const *word)
{
    return word[-1][0] == '-' && word[1] && word[1][0] == '-' && !strchr(word[0], '/');
}

/* Reads the words behind the launcher. */
static int ranks_read(char *const *words, enum launcher launcher)
{
    struct segment segment = {0};
    char path[PATH_MAX];
    int sum = 0, most = 0, step;

    for (; *words; words += step) {
        int number;
        step = 1;
        if (!strcmp(*words, ":")) {
            sum += segment_count(&segment, launcher, most);
            segment = (struct segment){0};
        } else if (segment.has_program) {
            continue;
        } else if ((number = option_value(counts, ARRAY_COUNT(counts), launcher, words, &step))) {
            segment.count = number;
        } else if ((number = option_value(per_node, ARRAY_COUNT(per_node), launcher, words,
                                          &step))) {
            most = number;
        } else {
            step = 1;
            segment.has_program = **words != '-' && program_find(*words, X_OK, path);
            if (segment.has_program && !segment.count && may_be_value(words)) {
                segment.has_program = false;
                segment.least = segment_count(&segment, launcher, most);
            }
        }
    }
    sum += segment_count(&segment, launcher, most);
    return most ? (int)min_i64(most, sum) : sum;
}

int ranks_of_command(char *const *command)
{
    const enum launcher launcher = launcher_find(&command);

    return launcher ? (int)min_i64(ranks_read(command, launcher), RANKS_UNKNOWN) : 0;
}

/* ---- binding ---- */

pid_t ranks_starter(void)
{
    struct comm name;
    pid_t launcher = 0;
    int proc_fd;

    if (crowd_processes(getenv) > 1 && !procfs_open(&proc_fd)) {
        launcher = bindings_launcher(proc_fd, getpid(), &name);
        close(proc_fd);
    }
    return launcher ? launcher : getppid();
}

/* Returns the value of "--bind-to none", "-bind-to core" or srun's "--cpu-bind=none"; NULL: not
 * given. */
static const char *binding_of(char *const *words)
{
    static const char apart[] = "--cpu-bind=";

    for (; *words; words++) {
        if (!strncmp(*words, apart, strlen(apart)))
            return *words + strlen(apart);
        if (words[1] && (!strcmp(*words, "--bind-to") || !strcmp(*words, "-bind-to") ||
                         !strcmp(*words, "--cpu-bind")))
            return words[1];
    }
    return NULL;
}

bool ranks_are_bound(char *const *command, int processors)
{
    const int ranks = ranks_of_command(command);
    const char *binding = binding_of(command);
    const enum launcher launcher = launcher_find(&command);

    if (launcher == LAUNCHER_NONE)
        return false;
    if (!binding && launcher == LAUNCHER_OPENMPI)
        binding = getenv("PRTE_MCA_hwloc_default_binding_policy"); /* Open MPI 5 and newer */
    if (!binding && launcher == LAUNCHER_OPENMPI)
        binding = getenv("OMPI_MCA_hwloc_base_binding_policy");
    if (!binding && launcher == LAUNCHER_SLURM)
        binding = getenv("SLURM_CPU_BIND");
    if (binding)
        return !strstr(binding, "none") && strcmp(binding, "quiet") && strcmp(binding, "verbose");
    return launcher == LAUNCHER_OPENMPI && (ranks <= processors || ranks == RANKS_UNKNOWN);
}
