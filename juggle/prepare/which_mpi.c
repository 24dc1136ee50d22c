/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/prepare/which_mpi.h"

#include "juggle/command/find.h"
#include "juggle/prepare/elf.h"
#include "libjuggle/ground/units.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct sign {
    const char *text;
    enum mpi_kind kind;
};

/* Names of the files to which mpirun and mpiexec lead: how the names begin, and a part that
 * tells the MPI. The beginning is checked because programs may be named after their MPI, too
 * (app.openmpi), and "compiler" contains "ompi". */
static const char *const beginnings[] = {"/mpirun", "/mpiexec", "/orterun", "/prterun"};
static const struct sign launchers[] = {
    {"openmpi", MPI_OPENMPI}, {"orterun", MPI_OPENMPI}, {"ompi", MPI_OPENMPI},
    {"prterun", MPI_OPENMPI}, {"mpich", MPI_MPICH},     {"hydra", MPI_MPICH},
};

/* The first that is found decides. libmpi.so.12 is the common name of MPICH and MPIs with its
 * ABI. */
static const struct sign libraries[] = {
    {"libmpich.so.", MPI_MPICH},
    {"libmpi.so.12", MPI_MPICH},
    {"libmpi.so.", MPI_OPENMPI},
};

/* ---- programs ---- */

static bool is_launcher(const char *name)
{
    for (size_t i = 0; i < ARRAY_COUNT(beginnings); i++)
        if (!strncmp(name, beginnings[i], strlen(beginnings[i])))
            return true;
    return false;
}

static enum mpi_kind launcher_kind(const char *path)
{
    char real[PATH_MAX];
    const char *name = realpath(path, real) ? strrchr(real, '/') : NULL;

    for (size_t i = 0; name && is_launcher(name) && i < ARRAY_COUNT(launchers); i++)
        if (strstr(name, launchers[i].text))
            return launchers[i].kind;
    return MPI_NONE;
}

static bool file_needs(const char *path, const char *library)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    bool needs = false;

    if (fd < 0)
        return false;
    if (!fstat(fd, &status) && status.st_size > 0) {
        const size_t size = (size_t)status.st_size;
        void *image = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (image != MAP_FAILED) {
            needs = elf_needs(image, size, library);
            munmap(image, size);
        }
    }
    close(fd);
    return needs;
}

static enum mpi_kind program_kind(const char *path)
{
    for (size_t i = 0; i < ARRAY_COUNT(libraries); i++)
        if (file_needs(path, libraries[i].text))
            return libraries[i].kind;
    return MPI_NONE;
}

bool which_needs(char *const *command, const char *library)
{
    char path[PATH_MAX];

    for (int i = 0; i < WHICH_WORDS_MAX && command[i]; i++)
        if (program_find(command[i], X_OK, path) && file_needs(path, library))
            return true;
    return false;
}

enum mpi_kind which_launcher(const char *word)
{
    char path[PATH_MAX];

    return program_find(word, X_OK, path) ? launcher_kind(path) : MPI_NONE;
}

enum mpi_kind which_mpi(char *const *command)
{
    char path[PATH_MAX];
    enum mpi_kind kind = MPI_NONE;

    for (int i = 0; i < WHICH_WORDS_MAX && command[i] && kind == MPI_NONE; i++) {
        if (!program_find(command[i], X_OK, path))
            continue;
        kind = launcher_kind(path);
        if (kind == MPI_NONE)
            kind = program_kind(path);
    }
    return kind;
}

const char *mpi_kind_name(enum mpi_kind kind)
{
    static const char *const names[MPI_KINDS_COUNT] = {
        [MPI_OPENMPI] = "openmpi",
        [MPI_MPICH] = "mpich",
    };

    return names[kind];
}
