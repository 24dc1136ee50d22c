// SPDX-License-Identifier: BSD-3-Clause
// Counts the ways to put queens on a board, in C++: a task is a board with some rows filled. Compile with
//     c++ -std=c++17 -O2 steal-queens.cc -o steal-queens $(pkg-config --cflags --libs libjuggle-steal)
// and run as
//     mpirun -n 4 ./steal-queens [QUEENS]
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <juggle/steal.hpp>
#include <stdexcept>

namespace steal = juggle::steal;

// The squares of the next row that are attacked, a bit for each column.
struct board {
    std::int32_t rows;
    std::uint32_t columns, left, right;
};

constexpr int alone = 8; // a task with at most this many rows left adds no tasks

static board with_queen(const board &above, std::uint32_t queen) {
    return {above.rows + 1, above.columns | queen, (above.left | queen) << 1, (above.right | queen) >> 1};
}

static std::int64_t count(const board &from, int queens) {
    std::int64_t ways = 0;

    if (from.rows == queens)
        return 1;
    for (std::uint32_t free = ~(from.columns | from.left | from.right) & ((1U << queens) - 1); free;
         free &= free - 1)
        ways += count(with_queen(from, free & -free), queens);
    return ways;
}

static void solve(int queens) {
    steal::runtime runtime;
    steal::per_worker<std::int64_t> ways(runtime);
    steal::collection<board> boards(runtime, "queens", [&](steal::worker &worker, const board &task) {
        if (queens - task.rows <= alone) {
            ways[worker] += count(task, queens);
            return;
        }
        for (std::uint32_t free = ~(task.columns | task.left | task.right) & ((1U << queens) - 1); free;
             free &= free - 1)
            worker.add(boards, with_queen(task, free & -free));
    });

    if (runtime.rank() == 0)
        boards.add({0, 0, 0, 0});
    boards.process();

    const std::int64_t all = runtime.sum(ways.total());
    if (runtime.rank() == 0)
        std::printf("%d queens: %lld ways\n", queens, static_cast<long long>(all));
}

int main(int argc, char **argv) {
    try {
        const int queens = argc > 1 ? std::atoi(argv[1]) : 12;

        if (queens < 1 || queens > 20)
            throw std::invalid_argument("QUEENS must be 1 to 20");
        solve(queens);
        return 0;
    } catch (const std::exception &caught) {
        std::fprintf(stderr, "%s\n", caught.what());
        return 1;
    }
}
