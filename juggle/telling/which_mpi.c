/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/telling/which_mpi.h"

#include "juggle/command/find.h"
#include "juggle/telling/elf.h"
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

/* What the files are called that the names mpirun and mpiexec lead to: how that begins, and what is
 * in it. Programs are called after their MPI, too (app.openmpi), and "compiler" has "ompi" in it.
 */
static const char *const beginnings[] = {"/mpirun", "/mpiexec", "/orterun", "/prterun"};
static const struct sign launchers[] = {
    {"openmpi", MPI_OPENMPI}, {"orterun", MPI_OPENMPI}, {"ompi", MPI_OPENMPI},
    {"prterun", MPI_OPENMPI}, {"mpich", MPI_MPICH},     {"hydra", MPI_MPICH},
};

/* The first that is found: libmpi.so.12 is the common name of MPICH and its kin. */
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

/* NULL: it cannot be read. */
static char *image_map(const char *path, size_t *size)
{
    struct stat stat_now;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *image = MAP_FAILED;

    if (fd < 0)
        return NULL;
    if (!fstat(fd, &stat_now) && stat_now.st_size > 0) {
        *size = (size_t)stat_now.st_size;
        image = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    close(fd);
    return image == MAP_FAILED ? NULL : image;
}

static enum mpi_kind program_kind(const char *path)
{
    enum mpi_kind kind = MPI_NONE;
    size_t size;
    char *image = image_map(path, &size);

    if (!image)
        return MPI_NONE;
    for (size_t i = 0; i < ARRAY_COUNT(libraries) && kind == MPI_NONE; i++)
        if (elf_needs(image, size, libraries[i].text))
            kind = libraries[i].kind;
    munmap(image, size);
    return kind;
}

bool which_needs(char *const *command, const char *library)
{
    char path[PATH_MAX];
    bool needs = false;
    size_t size;

    for (; *command && !needs; command++) {
        char *image = program_find(*command, X_OK, path) ? image_map(path, &size) : NULL;
        if (!image)
            continue;
        needs = elf_needs(image, size, library);
        munmap(image, size);
    }
    return needs;
}

enum mpi_kind which_launcher(const char *word)
{
    char path[PATH_MAX];

    return program_find(word, X_OK, path) ? launcher_kind(path) : MPI_NONE;
}

bool which_program(const char *word)
{
    char path[PATH_MAX];

    return program_find(word, X_OK, path);
}

enum mpi_kind which_mpi(char *const *command)
{
    char path[PATH_MAX];
    enum mpi_kind kind = MPI_NONE;

    for (; *command && kind == MPI_NONE; command++) {
        if (!program_find(*command, X_OK, path))
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
