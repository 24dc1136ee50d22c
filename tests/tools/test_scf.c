/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of scf compared with the textbook's formulas, term by term. */
#include "tests/lib/suite.h"

#include "tools/iterate/blas.h"
#include "tools/scf/survey.h"
#include "tools/scf/scf.h"
#include "tools/scf/fock.h"

#include <math.h>
#include <string.h>

/* (ij|kl) by its formula, without shared intermediate results. */
static double integral(const struct gaussian *i, const struct gaussian *j, const struct gaussian *k,
                       const struct gaussian *l)
{
    const double p = i->exponent + j->exponent, q = k->exponent + l->exponent;
    double at[3][2], damping = 0, distance2 = 0;
    const double a[4][3] = {
        {i->x, i->y, i->z}, {j->x, j->y, j->z}, {k->x, k->y, k->z}, {l->x, l->y, l->z}};

    for (int d = 0; d < 3; d++) {
        at[d][0] = (i->exponent * a[0][d] + j->exponent * a[1][d]) / p;
        at[d][1] = (k->exponent * a[2][d] + l->exponent * a[3][d]) / q;
        damping += i->exponent * j->exponent / p * (a[0][d] - a[1][d]) * (a[0][d] - a[1][d]) +
                   k->exponent * l->exponent / q * (a[2][d] - a[3][d]) * (a[2][d] - a[3][d]);
        distance2 += (at[d][0] - at[d][1]) * (at[d][0] - at[d][1]);
    }
    const double t = p * q / (p + q) * distance2;
    const double f0 = t < 1e-12 ? 1 : 0.5 * sqrt(M_PI / t) * erf(sqrt(t));
    return 2 * pow(M_PI, 2.5) / (p * q * sqrt(p + q)) * exp(-damping) * f0 * i->norm * j->norm *
           k->norm * l->norm;
}

START_TEST(boys_function_is_exact_to_a_picounit)
{
    struct boys *boys = boys_create();

    ck_assert_ptr_nonnull(boys);
    ck_assert_double_eq_tol(boys_f0(boys, 0), 1, 1e-15);
    for (double t = 1e-5; t < 2000; t *= 1.0007)
        ck_assert_double_eq_tol(boys_f0(boys, t), 0.5 * sqrt(M_PI / t) * erf(sqrt(t)), 2e-13);
    boys_destroy(boys);
}

/* A density without any symmetry of the molecule. */
static void density_fill(int n, double *density)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            density[i * n + j] = density[j * n + i] = sin(1 + i * 0.7 + j * 1.3) + (i == j);
}

/* The two-electron matrix, with one integral for each quadruple of functions. */
static void build_plainly(const struct chain *chain, const double *density, double *sum)
{
    const int n = chain->functions_count;
    const struct gaussian *f = chain->function;

    memset(sum, 0, (size_t)(n * n) * sizeof(*sum));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                for (int l = 0; l < n; l++) {
                    const double value = integral(&f[i], &f[j], &f[k], &f[l]);

                    sum[i * n + j] += density[k * n + l] * value;
                    sum[i * n + k] -= 0.5 * density[j * n + l] * value;
                }
}

enum { ATOMS = 2, SIDE = ATOMS * CHAIN_FUNCTIONS_PER_ATOM };

/* Builds it by tasks, dealt out to three workers; returns how many workers had a task. */
static int build_by_tasks(const struct pairs *pairs, const struct boys *boys, const double *density,
                          double *sum)
{
    struct fock fock;
    int done = 0;

    ck_assert_int_eq(fock_create(pairs, boys, 3, &fock), 0);
    fock_begin(&fock, density);
    for (int64_t task = 0; task < quadruples_count(pairs); task++) {
        const struct quadruple quadruple = quadruple_at(pairs, task);

        done += fock_execute(&fock, (int)(task % 3), &quadruple);
    }
    fock_end(&fock, sum);
    fock_destroy(&fock);
    return done;
}

START_TEST(tasks_of_any_tile_add_up_to_the_whole_matrix)
{
    static const int tiles[] = {1, 4, 7, 15, 30, 40};
    static double density[SIDE * SIDE], plain[SIDE * SIDE], sum[SIDE * SIDE];
    struct boys *boys = boys_create();
    struct chain chain;

    ck_assert_int_eq(chain_create(ATOMS, &chain), 0);
    density_fill(SIDE, density);
    build_plainly(&chain, density, plain);
    for (size_t t = 0; t < ARRAY_COUNT(tiles); t++) {
        struct pairs pairs;

        ck_assert_int_eq(pairs_create(&chain, tiles[t], 1e-14, &pairs), 0);
        ck_assert_int_gt(build_by_tasks(&pairs, boys, density, sum), 0);
        for (int i = 0; i < SIDE * SIDE; i++)
            ck_assert_double_eq_tol(sum[i], plain[i], 1e-9);
        pairs_destroy(&pairs);
    }
    chain_destroy(&chain);
    boys_destroy(boys);
}

START_TEST(screening_leaves_out_only_what_is_small)
{
    static double density[SIDE * SIDE], exact[SIDE * SIDE], sum[SIDE * SIDE];
    struct boys *boys = boys_create();
    struct chain chain;
    struct pairs fine, coarse;

    ck_assert_int_eq(chain_create(ATOMS, &chain), 0);
    density_fill(SIDE, density);
    ck_assert_int_eq(pairs_create(&chain, 10, 1e-14, &fine), 0);
    ck_assert_int_eq(pairs_create(&chain, 10, 1e-6, &coarse), 0);
    build_by_tasks(&fine, boys, density, exact);
    build_by_tasks(&coarse, boys, density, sum);
    for (int i = 0; i < SIDE * SIDE; i++)
        ck_assert_double_eq_tol(sum[i], exact[i], 1e-4);
    ck_assert_mem_ne(sum, exact, sizeof(sum));
    pairs_destroy(&fine);
    pairs_destroy(&coarse);
    chain_destroy(&chain);
    boys_destroy(boys);
}

/* The quadruples of a long chain that remain after tiles are screened, in all orders of their
 * indices. */
START_TEST(quadruples_of_tiles_are_counted)
{
    struct chain chain;
    struct pairs pairs;
    struct survey survey;
    int64_t canonical = 0, surviving = 0, executed = 0, integrals = 0;

    ck_assert_int_eq(chain_create(16, &chain), 0);
    ck_assert_int_eq(pairs_create(&chain, 40, 1e-6, &pairs), 0);
    ck_assert_int_eq(quadruples_count(&pairs), 1296);
    ck_assert_int_eq(survey_make(&pairs, false, NULL, &survey), 0);
    for (int64_t task = 0; task < quadruples_count(&pairs); task++) {
        const struct quadruple quadruple = quadruple_at(&pairs, task);
        const struct quadruple turned = {quadruple.l, quadruple.k, quadruple.j, quadruple.i};

        canonical += quadruple_canonical(&quadruple);
        executed += quadruple_canonical(&quadruple) && quadruple_survives(&pairs, &quadruple);
        ck_assert_int_eq(quadruple_survives(&pairs, &quadruple),
                         quadruple_survives(&pairs, &turned));
        surviving += quadruple_survives(&pairs, &quadruple);
        integrals += quadruple_canonical(&quadruple) ? quadruple_integrals(&pairs, &quadruple) : 0;
    }
    ck_assert_int_eq(canonical, 21 * 22 / 2);
    ck_assert_int_lt(surviving, 1296 / 2);
    ck_assert_int_gt(surviving, 8 * 21);
    ck_assert_int_gt(integrals, 10000000);
    ck_assert_int_eq(survey.surviving, surviving);
    ck_assert_int_eq(survey.executed, executed);
    ck_assert_int_eq(survey.integrals, integrals);
    pairs_destroy(&pairs);
    chain_destroy(&chain);
}

/* The field of one atom, whose energy does not depend on how the iteration proceeds. */
START_TEST(an_atom_converges)
{
    static double sum[CHAIN_FUNCTIONS_PER_ATOM * CHAIN_FUNCTIONS_PER_ATOM];
    struct boys *boys = boys_create();
    struct chain chain;
    struct pairs pairs;
    struct scf scf;
    double before = 0;

    ck_assert_int_eq(chain_create(1, &chain), 0);
    ck_assert_int_eq(pairs_create(&chain, 15, 1e-14, &pairs), 0);
    blas_alone(); /* its threads are not the sanitizer's concern */
    ck_assert_int_eq(scf_create(&chain, boys, &scf), 0);
    for (int i = 0; i < 30; i++) {
        before = scf.energy;
        build_by_tasks(&pairs, boys, scf.density, sum);
        ck_assert_int_eq(scf_advance(&scf, sum), 0);
    }
    ck_assert_double_lt(scf.error, 1e-9);
    ck_assert_double_eq_tol(scf.energy, before, 1e-10);
    ck_assert_double_lt(scf.energy, -14.5);
    ck_assert_double_gt(scf.energy, -14.5731); /* the Hartree-Fock limit */
    scf_destroy(&scf);
    pairs_destroy(&pairs);
    chain_destroy(&chain);
    boys_destroy(boys);
}

SUITE("scf")
