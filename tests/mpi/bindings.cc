// SPDX-License-Identifier: BSD-3-Clause
// The C++ header in use. Usage: bindings count|throw|batch|result|misuse [SETTINGS]; each rank prints
// its results.
#include <juggle/steal.hpp>

#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace steal = juggle::steal;

struct node {
    std::int64_t depth;
};
struct odd { // its size is no multiple of the distance between tasks
    std::int32_t value[3];
};

// A binary tree, twice in the same collection and once in another one of the same name.
static void count(steal::runtime &runtime) {
    for (int round = 0; round < 2; round++) {
        steal::per_worker<std::int64_t> leaves(runtime);
        steal::collection<node> tree(runtime, "tree", [&](steal::worker &worker, const node &task) {
            if (task.depth == 0)
                leaves[worker]++;
            else
                for (int i = 0; i < 2; i++)
                    worker.add(tree, node{task.depth - 1});
        });
        for (int again = 0; again < 2; again++) {
            if (runtime.rank() == 0)
                tree.add({12});
            tree.process();
        }
        const std::int64_t sum = runtime.sum(leaves.total());
        const std::int64_t executed = tree.statistics_sum().tasks_executed;
        if (runtime.rank() == 0)
            std::printf("%" PRId64 " leaves, %" PRId64 " tasks\n", sum, executed);
    }
}

// The tasks of rank 1 fail: all ranks stop, and can go on.
static void fail(steal::runtime &runtime) {
    bool armed = true;
    steal_properties alone = steal::properties();
    alone.isolate = 1;
    steal::collection<odd> tasks(
        runtime, "fail",
        [&](steal::worker &, const odd &task) {
            if (armed && runtime.rank() == 1)
                throw std::out_of_range("task " + std::to_string(task.value[2]) + " is wrong");
        },
        alone);
    for (int round = 0; round < 2; round++, armed = false) {
        tasks.add({{0, 0, 7}});
        tasks.add({{0, 0, 7}});
        try {
            tasks.process();
            std::printf("rank %d: done\n", runtime.rank());
        } catch (const steal::canceled &caught) {
            std::printf("rank %d, canceled: %s\n", runtime.rank(), caught.what());
        } catch (const std::out_of_range &caught) {
            std::printf("rank %d, out of range: %s\n", runtime.rank(), caught.what());
        }
        if (runtime.failed())
            std::printf("rank %d cannot go on\n", runtime.rank());
    }
}

// Batches, reservations, keys and bounds.
static void batches(steal::runtime &runtime) {
    steal_properties settings = steal::properties("lifelines=1");
    settings.batch = 16;
    settings.retain = STEAL_RETENTION_SEEDED;
    settings.bound = STEAL_BOUND_MIN;
    std::int64_t unshared = 0;
    steal::per_worker<std::int64_t> sum(runtime);
    steal::collection<node> tasks(
        runtime, "sum",
        [&](steal::worker &worker, steal::batch<node> nodes) {
            for (const node &task : nodes) {
                sum[worker] += task.depth;
                tasks.improve(-task.depth);
            }
        },
        settings, [](const node &task) { return static_cast<std::uint64_t>(task.depth); },
        [](const node &task) { return task.depth + 1; });
    auto room = tasks.reserve(1000);
    for (std::size_t i = 0; i < 1000; i++)
        room[i].depth = static_cast<std::int64_t>(i);
    room.commit(1000);
    {
        auto dropped = tasks.reserve(2); // and never committed
        dropped[0].depth = 1 << 20;
    }
    tasks.process();
    tasks.restore();
    tasks.rebalance();
    tasks.process();
    unshared = tasks.bound<std::int64_t>();
    const std::int64_t all = runtime.sum(sum.total());
    if (runtime.rank() == 0)
        std::printf("%" PRId64 " with bound %" PRId64 "\n", all / runtime.ranks(), unshared);
}

// Results come to a function of the C interface, with the program's own data.
static void take(void *local, std::uint64_t id, const void *data, std::size_t size) {
    std::int64_t depth = 0;

    std::memcpy(&depth, data, size);
    *static_cast<std::int64_t *>(local) += depth == static_cast<std::int64_t>(id);
}

static void results(steal::runtime &runtime) {
    std::int64_t taken = 0;
    steal_properties settings = steal::properties();
    settings.result = take;
    settings.local = &taken;
    steal::collection<node> tasks(
        runtime, "send",
        [](steal::worker &worker, const node &task) {
            if (steal_result(worker.get(), static_cast<std::uint64_t>(task.depth), &task, sizeof(task)) < 0)
                throw std::runtime_error(steal_worker_message(worker.get()));
        },
        settings);
    for (std::int64_t i = 0; i < 100; i++)
        tasks.add({i});
    tasks.process();
    if (runtime.rank() == 0)
        std::printf("%" PRId64 " results\n", taken);
}

static void misuse(steal::runtime &runtime) {
    const auto nothing = [](steal::worker &, const node &) {};
    steal::collection<node> tasks(runtime, "nothing", nothing);
    const auto say = [&](const char *what, auto call) {
        try {
            call();
        } catch (const steal::error &caught) {
            if (runtime.rank() == 0)
                std::printf("%s: %d %s\n", what, caught.code(), caught.what());
        }
    };

    say("restore", [&] { tasks.restore(); });
    say("cancel", [&] { tasks.cancel(); });
    say("text", [&] { steal::properties("lifeline=2"); });
    say("bound", [&] { tasks.improve(1.5); });
    say("other",
        [&] { steal::collection<odd> other(runtime, "nothing", [](steal::worker &, const odd &) {}); });
}

int main(int argc, char **argv) try {
    steal::runtime runtime(steal::options(argc > 2 ? argv[2] : ""));

    if (argc > 1 && !std::strcmp(argv[1], "count"))
        count(runtime);
    else if (argc > 1 && !std::strcmp(argv[1], "throw"))
        fail(runtime);
    else if (argc > 1 && !std::strcmp(argv[1], "batch"))
        batches(runtime);
    else if (argc > 1 && !std::strcmp(argv[1], "result"))
        results(runtime);
    else
        misuse(runtime);
    return 0;
} catch (const std::exception &caught) {
    std::fprintf(stderr, "%s\n", caught.what());
    return 1;
}
