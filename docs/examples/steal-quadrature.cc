// SPDX-License-Identifier: BSD-3-Clause
// Adaptive quadrature in C++: a task is an interval. It is halved until two rules agree. Compile with
//     c++ -std=c++17 -O2 steal-quadrature.cc -o steal-quadrature $(pkg-config --cflags --libs libjuggle-steal)
// and run as
//     mpirun -n 4 ./steal-quadrature
#include <cmath>
#include <cstdio>
#include <exception>
#include <juggle/steal.hpp>

namespace steal = juggle::steal;

struct interval {
    double first, last, tolerance;
};

// Oscillates faster and faster towards zero, so most of the work is there.
static double f(double x) {
    return std::sin(1 / x);
}

static double simpson(double a, double b) {
    return (b - a) / 6 * (f(a) + 4 * f((a + b) / 2) + f(b));
}

static int integrate() {
    steal::runtime runtime;
    steal::per_worker<double> area(runtime);
    steal::per_worker<std::int64_t> pieces(runtime);
    steal::collection<interval> intervals(
        runtime, "integrate", [&](steal::worker &worker, const interval &task) {
            interval part = task;

            for (;;) {
                const double middle = (part.first + part.last) / 2;
                const double whole = simpson(part.first, part.last);
                const double halves = simpson(part.first, middle) + simpson(middle, part.last);

                if (std::abs(halves - whole) <= 15 * part.tolerance) {
                    area[worker] += halves;
                    pieces[worker]++;
                    return;
                }
                // The upper half may be stolen; the lower one is integrated here.
                worker.add(intervals, {middle, part.last, part.tolerance / 2});
                part = {part.first, middle, part.tolerance / 2};
            }
        });

    if (runtime.rank() == 0)
        intervals.add({0.001, 1, 1e-9});
    intervals.process();

    // Ranks sum integers, so the area is summed in units of 10^-12.
    const std::int64_t sum = runtime.sum(std::llround(area.total() * 1e12));
    const std::int64_t count = runtime.sum(pieces.total());
    if (runtime.rank() == 0)
        std::printf("the area is %.6f, from %lld pieces\n", static_cast<double>(sum) / 1e12,
                    static_cast<long long>(count));
    return 0;
}

int main() {
    try {
        return integrate();
    } catch (const std::exception &caught) {
        std::fprintf(stderr, "%s\n", caught.what());
        return 1;
    }
}
