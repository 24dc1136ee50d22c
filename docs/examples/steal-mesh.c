/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Steps of a mesh. Patches take different times, because hot cells burn in many small steps; each
 * takes nearly the same time in the next step. A rank begins a step with the patches that it had at
 * the end of the last one, and patches are moved if the loads are uneven. Compile with
 *     cc -O2 steal-mesh.c -o steal-mesh $(pkg-config --cflags --libs libjuggle-steal)
 * and run as
 *     mpirun -n 4 ./steal-mesh
 */
#include <inttypes.h>
#include <juggle/steal.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 20, PATCHES = 128, CELLS = 64, MESH = PATCHES * CELLS, HEAT = 1000000 };

struct patch {
    uint64_t index;
};

/* The whole mesh, on each rank. `next` is 0 for cells that other ranks have computed. */
struct mesh {
    int64_t heat[MESH], next[MESH];
};

/* The hotter a cell, the more steps it burns in. Computes with integers, so all ranks agree. */
static int64_t burn(int64_t left, int64_t heat, int64_t right)
{
    heat += (left - 2 * heat + right) / 4;
    for (int64_t i = heat / 100; i > 0; i--)
        heat += (HEAT - heat) / 1000000 + (heat > HEAT / 2);
    return heat < HEAT ? heat : HEAT;
}

static void step(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    const struct patch *patch = tasks;
    struct mesh *mesh = local;

    (void)worker;
    for (size_t i = 0; i < count; i++)
        for (uint64_t cell = patch[i].index * CELLS; cell < (patch[i].index + 1) * CELLS; cell++)
            mesh->next[cell] = burn(mesh->heat[(cell + MESH - 1) % MESH], mesh->heat[cell],
                                    mesh->heat[(cell + 1) % MESH]);
}

static int run(struct steal_runtime *runtime, struct steal_collection *patches, struct mesh *mesh)
{
    struct patch patch;

    for (patch.index = (uint64_t)steal_rank(runtime); patch.index < PATCHES;
         patch.index += (uint64_t)steal_ranks(runtime))
        if (steal_add(steal_seeder(runtime), patches, &patch, sizeof(patch)) < 0)
            return -1;
    for (int i = 0; i < STEPS; i++) {
        memset(mesh->next, 0, sizeof(mesh->next));
        if ((i > 0 && steal_restore(patches) < 0) || steal_process(patches) < 0 ||
            steal_sum(runtime, mesh->next, MESH) < 0)
            return -1;
        memcpy(mesh->heat, mesh->next, sizeof(mesh->heat));
    }
    return 0;
}

int main(void)
{
    static struct mesh mesh;
    struct steal_error error;
    struct steal_runtime *runtime;
    struct steal_collection *patches = NULL;
    struct steal_properties properties = {.size = sizeof(struct steal_properties),
                                          .task_size = sizeof(struct patch),
                                          .local = &mesh,
                                          .retain = STEAL_RETENTION_SEEDED,
                                          .balance_if_it_pays = 1};
    int64_t heat = 0;

    for (int i = 0; i < MESH; i++)
        mesh.heat[i] = i < MESH / 8 ? HEAT : 0;
    if (steal_runtime_create(NULL, NULL, &runtime, &error) < 0)
        return fprintf(stderr, "%s\n", error.message), 1;
    const int failed = steal_function_register(runtime, "step", step, &properties.function) < 0 ||
                       steal_collection_create(runtime, &properties, &patches) < 0 ||
                       run(runtime, patches, &mesh) < 0;
    for (int i = 0; i < MESH; i++)
        heat += mesh.heat[i];
    if (failed)
        fprintf(stderr, "%s\n", steal_message(runtime));
    else if (steal_rank(runtime) == 0)
        printf("%" PRId64 " of heat after %d steps\n", heat, STEPS);
    steal_collection_destroy(patches);
    return steal_runtime_destroy(runtime) < 0 || failed;
}
