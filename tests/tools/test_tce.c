/* SPDX-License-Identifier: BSD-3-Clause */
/* The contraction by tiles compared with sums over all indices. */
#include "tests/lib/suite.h"

#include "tools/iterate/blas.h"
#include "tools/tce/tensors.h"

#include <dlfcn.h>

START_TEST(full_size_has_the_published_number_of_tasks)
{
    struct contraction contraction;

    ck_assert_int_eq(contraction_create(1, &contraction), 0);
    ck_assert_int_eq(contraction.tasks_count, 470357);
    ck_assert_int_eq(contraction.outer.length, 730);
    ck_assert_int_eq(contraction.inner.length, 84);
    contraction_destroy(&contraction);
}

static int label_of(const struct axis *axis, int index)
{
    for (int t = 0; t < axis->tiles_count; t++)
        if (index < axis->tile[t].first + axis->tile[t].length)
            return axis->tile[t].label;
    ck_abort();
}

/* One element of C, summed over all a and b that do not vanish. */
static double element(const struct contraction *contraction, int i, int j, int k, int l)
{
    const int label = label_of(&contraction->outer, i) ^ label_of(&contraction->outer, j);
    double sum = 0;

    for (int a = 0; a < contraction->inner.length; a++)
        for (int b = 0; b < contraction->inner.length; b++)
            if ((label_of(&contraction->inner, a) ^ label_of(&contraction->inner, b)) == label)
                sum += tensors_a(i, j, a, b) * tensors_b(a, b, k, l);
    return sum;
}

static int64_t dense_checksum(const struct contraction *contraction)
{
    const int n = contraction->outer.length;
    int64_t sum = 0;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                for (int l = 0; l < n; l++)
                    if (!(label_of(&contraction->outer, i) ^ label_of(&contraction->outer, j) ^
                          label_of(&contraction->outer, k) ^ label_of(&contraction->outer, l)))
                        sum += tensors_weigh(i, j, k, l, element(contraction, i, j, k, l));
    return sum;
}

/* Blocks of one to five: a tile is a block, and every shape of tile occurs. */
START_TEST(tasks_add_up_to_the_dense_product)
{
    struct contraction contraction;
    struct tensors_room room;
    int64_t sum = 0, cost = 0;

    ck_assert_int_eq(contraction_create(0.012, &contraction), 0);
    ck_assert_int_eq(tensors_room_create(&room), 0);
    for (int64_t task = 0; task < contraction.tasks_count; task++) {
        sum += tensors_execute(&contraction, task, &room);
        cost += contraction_cost(&contraction, task);
    }
    ck_assert_int_gt(cost, 0);
    /* Elements are rounded to fixed point one by one: at most one unit in the last place each. */
    ck_assert_double_eq_tol(tensors_checksum(sum), tensors_checksum(dense_checksum(&contraction)),
                            1e-3);
    tensors_room_destroy(&room);
    contraction_destroy(&contraction);
}

START_TEST(checksum_sees_every_element)
{
    ck_assert_int_ne(tensors_weigh(1, 2, 3, 4, 1), tensors_weigh(2, 2, 3, 4, 1));
    ck_assert_int_ne(tensors_weigh(1, 2, 3, 4, 1), tensors_weigh(1, 2, 3, 4, 1.001));
}

/* If the library has no threads, there is nothing to check. */
START_TEST(blas_computes_alone)
{
    int (*threads)(void) = NULL;

    *(void **)&threads = dlsym(RTLD_DEFAULT, "openblas_get_num_threads");
    blas_alone();
    if (threads)
        ck_assert_int_eq(threads(), 1);
}

SUITE("tce")
