/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/bench/programs/kernels.h"

enum { BAND = 8 };

struct share share_of(int count, int part, int parts)
{
    return (struct share){
        .from = (int)((long)count * part / parts),
        .to = (int)((long)count * (part + 1) / parts),
    };
}

void heat_step(const double *now, double *next, int count, struct share share)
{
    for (int i = share.from; i < share.to; i++)
        next[i] = i == 0 || i == count - 1 ? now[i] : (now[i - 1] + now[i] + now[i + 1]) / 3;
}

double band_multiply(const double *vector, double *result, int count, struct share share)
{
    double product = 0;

    for (int i = share.from; i < share.to; i++) {
        double sum = 2 * BAND * vector[i];
        for (int k = 1; k <= BAND; k++) {
            sum -= i >= k ? vector[i - k] : 0;
            sum -= i + k < count ? vector[i + k] : 0;
        }
        result[i] = sum;
        product += sum * vector[i];
    }
    return product;
}

void draw_bodies(const double *places, double *forces, int count, struct share share)
{
    for (int i = share.from; i < share.to; i++) {
        double force = 0;
        for (int k = 0; k < count; k++) {
            const double distance = places[k] - places[i];
            force += distance / (distance * distance + 1);
        }
        forces[i] = force;
    }
}

void fill(double *values, int count)
{
    for (int i = 0; i < count; i++)
        values[i] = (double)(i % 1013) / 1013;
}
