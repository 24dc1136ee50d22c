/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The stealing runtime of Juggle in C++17: <juggle/steal.h> with owning objects, checked types,
 * lambdas as task functions and exceptions. It adds no work to the C calls.
 *
 *     namespace steal = juggle::steal;
 *
 *     steal::runtime runtime;                                        collective
 *     steal::per_worker<std::int64_t> leaves(runtime);
 *     steal::collection<node> tree(runtime, "visit",                 collective
 *         [&](steal::worker &worker, const node &task) {
 *             for (const node &child : children_of(task))
 *                 worker.add(tree, child);
 *             leaves[worker] += is_leaf(task);
 *         });
 *     if (runtime.rank() == 0)
 *         tree.add(root);
 *     tree.process();                                                collective
 *     runtime.sum(leaves.total());                                   collective
 *
 * A call that fails throws steal::error. An exception that leaves a task cancels the processing of
 * its collection, in polling mode and in threads mode: process() throws it again on the rank of the
 * task (the first one, if several tasks fail), and steal::canceled on all others. Because
 * constructors and destructors of runtimes and collections are collective, all ranks must leave
 * their scopes: if an exception leaves them on one rank alone, outside of tasks, the next collective
 * call of the other ranks fails.
 *
 * Results, storage, reductions, levels, costs and waiting have no members here: call the C
 * functions with what get() of a worker, a collection or a runtime returns.
 *
 * Runtimes and collections cannot be copied or moved, because collections refer to their runtime, and
 * task functions may refer to collections.
 */
#ifndef JUGGLE_STEAL_HPP
#define JUGGLE_STEAL_HPP

#include <juggle/steal_runtime.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace juggle::steal {

namespace detail {

/* The distance in bytes between the tasks of a batch. */
template <class Task>
constexpr std::size_t stride = (sizeof(Task) + STEAL_TASK_ALIGN - 1) / STEAL_TASK_ALIGN *STEAL_TASK_ALIGN;

} // namespace detail

/* ---- workers ------------------------------------------------------------------------------- */

template <class Task> class collection;
template <class Task> class reservation;

/* Executes tasks, and accepts tasks that are added. Task functions get one; it is of no use outside
 * of them. */
class worker {
public:
    explicit worker(steal_worker *handle) noexcept : handle_(handle) {}
    int index() const noexcept { return steal_worker_index(handle_); }
    steal_worker *get() const noexcept { return handle_; }

    template <class Task> void add(const collection<Task> &tasks, const Task &task) {
        const int result = steal_add(handle_, tasks.get(), &task, sizeof(task));

        if (result < 0)
            detail::fail(result, steal_worker_message(handle_));
    }

    /* Reserves room for up to STEAL_BATCH_MAX tasks, to be filled in place and committed. */
    template <class Task> reservation<Task> reserve(const collection<Task> &tasks, std::size_t count) {
        return reservation<Task>(*this, tasks, count);
    }

private:
    steal_worker *handle_;
};

/* Room for tasks. Tasks that are not committed are not added. */
template <class Task> class reservation {
    static_assert(sizeof(Task) % STEAL_TASK_ALIGN == 0,
                  "a reservation is an array: the size of its tasks must be a multiple of STEAL_TASK_ALIGN");

public:
    reservation(worker &worker, const collection<Task> &tasks, std::size_t count)
        : worker_(worker.get()), tasks_(tasks.get()) {
        void *room = nullptr;
        const int result = steal_reserve(worker_, tasks_, count, &room);

        if (result < 0)
            detail::fail(result, steal_worker_message(worker_));
        room_ = static_cast<Task *>(room);
    }
    ~reservation() {
        if (room_)
            steal_commit(worker_, tasks_, 0);
    }
    reservation(const reservation &) = delete;
    reservation &operator=(const reservation &) = delete;

    Task &operator[](std::size_t index) noexcept { return room_[index]; }
    void commit(std::size_t count) noexcept {
        steal_commit(worker_, tasks_, count);
        room_ = nullptr;
    }

private:
    steal_worker *worker_;
    steal_collection *tasks_;
    Task *room_ = nullptr;
};

/* The tasks of one call, for functions that execute several at once. */
template <class Task> class batch {
public:
    batch(const Task *first, std::size_t count) noexcept : first_(first), count_(count) {}
    const Task *begin() const noexcept { return first_; }
    const Task *end() const noexcept { return first_ + count_; }
    std::size_t size() const noexcept { return count_; }
    const Task &operator[](std::size_t index) const noexcept { return first_[index]; }

private:
    const Task *first_;
    std::size_t count_;
};

/* ---- collections --------------------------------------------------------------------------- */

/* A collection of tasks. They are executed by a function of (worker &, const Task &), or of (worker
 * &, batch<Task>). */
template <class Task> class collection {
    static_assert(std::is_trivially_copyable_v<Task>,
                  "tasks travel between ranks as bytes: they must be trivially copyable");
    static_assert(!std::is_pointer_v<Task>, "a pointer means nothing on another rank");
    static_assert(sizeof(Task) <= STEAL_TASK_SIZE_MAX,
                  "a task has up to STEAL_TASK_SIZE_MAX bytes: let it name larger data");
    static_assert(alignof(Task) <= STEAL_TASK_ALIGN, "tasks lie STEAL_TASK_ALIGN bytes apart");

public:
    /* Functions of one task: its key, and how long it takes relative to others of its batch. */
    using key_function = std::uint64_t(const Task &);
    using weight_function = std::int64_t(const Task &);

    /* Collective, as the destructor. `settings` are those of the C interface; the collection itself
     * sets function, task_size, key and weight. Only the function `result` is given `local`. */
    template <class Function> collection(runtime &runtime, const std::string &name, Function function,
                                         steal_properties settings = steal::properties(),
                                         key_function *key = nullptr, weight_function *weight = nullptr)
        : runtime_(runtime.get()), state_(std::make_unique<held<Function>>(std::move(function), key, weight)) {
        settings.function = runtime.function(name, execute<Function>);
        settings.task_size = sizeof(Task);
        state_->result = std::exchange(settings.result, settings.result ? result_of : nullptr);
        state_->local = std::exchange(settings.local, state_.get());
        settings.key = key ? key_of : nullptr;
        settings.weight = weight ? weight_of : nullptr;
        detail::check(steal_collection_create(runtime_, &settings, &handle_), runtime_);
        state_->tasks = handle_;
    }
    ~collection() { (void)steal_collection_destroy(handle_); }
    collection(const collection &) = delete;
    collection &operator=(const collection &) = delete;

    steal_collection *get() const noexcept { return handle_; }

    /* Adds a task as a seed, outside of tasks. */
    void add(const Task &task) { seeder().add(*this, task); }
    reservation<Task> reserve(std::size_t count) { return seeder().reserve(*this, count); }

    /* Collective. Executes all tasks, and the tasks that they add. False if it was stopped before all
     * were done: the next call goes on. */
    bool process() { return ended(steal_process(handle_)); }
    bool process_for(std::chrono::nanoseconds time) {
        return ended(steal_process_for(handle_, static_cast<std::int64_t>(time.count())));
    }

    /* May be called anywhere, also in a signal handler: process() stops, and keeps the tasks that
     * have not begun. */
    void stop() noexcept { (void)steal_stop(handle_); }

    /* Collective. Call it before tasks are added: process() then writes a checkpoint with `data` of
     * rank 0 to this file, after each interval of `every`, or, if this is 0, only when it stops or
     * is done. True if the file existed and was read: then do not add the tasks again. */
    bool checkpoint(const std::string &path, std::chrono::nanoseconds every = {}) {
        return keep(path, every, nullptr, 0);
    }
    template <class Data> bool checkpoint(const std::string &path, std::chrono::nanoseconds every, Data &data) {
        static_assert(std::is_trivially_copyable_v<Data>, "data goes to the file as bytes");
        return keep(path, every, &data, sizeof(data));
    }

    /* Called by a task: cancels the current process(). */
    void cancel() { detail::check(steal_cancel(handle_), runtime_); }

    void restore() { detail::check(steal_restore(handle_), runtime_); }
    void rebalance() { detail::check(steal_rebalance(handle_, nullptr), runtime_); }
    void rebalance(const steal_balance &how) { detail::check(steal_rebalance(handle_, &how), runtime_); }
    void isolate(bool alone) { detail::check(steal_isolate(handle_, alone), runtime_); }
    void scatter(std::size_t count = 0) { detail::check(steal_scatter(handle_, count), runtime_); }
    void ledger_save(const std::string &path) {
        detail::check(steal_ledger_save(handle_, path.c_str()), runtime_);
    }
    void ledger_load(const std::string &path) {
        detail::check(steal_ledger_load(handle_, path.c_str()), runtime_);
    }

    /* The best value that all ranks share. The collection must have a `bound` of this type. */
    template <class Value> Value bound() const noexcept {
        static_assert(std::is_same_v<Value, std::int64_t> || std::is_same_v<Value, double>);
        if constexpr (std::is_same_v<Value, double>)
            return steal_bound_double(handle_);
        else
            return steal_bound(handle_);
    }
    /* Shares a value with all ranks. True if it is better than the best one known here. */
    template <class Value> bool improve(Value value) {
        if constexpr (std::is_floating_point_v<Value>)
            return improved(steal_bound_improve_double(handle_, value));
        else
            return improved(steal_bound_improve(handle_, value));
    }

    /* Counts of the latest process(): on this rank, or the sum over all ranks, which is
     * collective. */
    steal_statistics statistics() const { return measured(steal_statistics_rank); }
    steal_statistics statistics_sum() const { return measured(steal_statistics_sum); }

private:
    struct state {
        state(key_function *by, weight_function *weighs) : key(by), weight(weighs) {}
        virtual ~state() = default;

        key_function *key;
        weight_function *weight;
        decltype(steal_properties::result) result = nullptr;
        void *local = nullptr;
        steal_collection *tasks = nullptr;
        /* The first thread to set `caught` writes `thrown`, which process() reads after the threads
         * have finished: the runtime's own lock orders these. */
        std::atomic_flag caught = ATOMIC_FLAG_INIT;
        std::exception_ptr thrown;

        void keep(std::exception_ptr exception) noexcept {
            if (!caught.test_and_set(std::memory_order_relaxed))
                thrown = std::move(exception);
            (void)steal_cancel(tasks);
        }
    };

    template <class Function> struct held final : state {
        held(Function &&executes, key_function *by, weight_function *weighs)
            : state(by, weighs), function(std::move(executes)) {}
        Function function;
    };

    template <class Function>
    static void execute(steal_worker *handle, void *local, const void *tasks, std::size_t count) {
        constexpr bool one = std::is_invocable_v<Function &, worker &, const Task &>;
        constexpr bool many = std::is_invocable_v<Function &, worker &, batch<Task>>;
        auto *self = static_cast<held<Function> *>(static_cast<state *>(local));
        worker worker(handle);

        static_assert(one || many, "a task function takes (worker &, const Task &) or (worker &, "
                                   "batch<Task>)");
        try {
            if constexpr (one) {
                const char *at = static_cast<const char *>(tasks);

                for (std::size_t i = 0; i < count; i++, at += detail::stride<Task>)
                    self->function(worker, *reinterpret_cast<const Task *>(at));
            } else if constexpr (many) {
                static_assert(
                    !many || sizeof(Task) % STEAL_TASK_ALIGN == 0,
                    "a batch is an array: the size of its tasks must be a multiple of STEAL_TASK_ALIGN");
                self->function(worker, batch<Task>(static_cast<const Task *>(tasks), count));
            }
        } catch (...) {
            self->keep(std::current_exception());
        }
    }

    static std::uint64_t key_of(const void *local, const void *task) {
        return static_cast<const state *>(local)->key(*static_cast<const Task *>(task));
    }

    static std::int64_t weight_of(const void *local, const void *task) {
        return static_cast<const state *>(local)->weight(*static_cast<const Task *>(task));
    }

    static void result_of(void *local, std::uint64_t id, const void *data, std::size_t size) {
        const auto *self = static_cast<const state *>(local);

        self->result(self->local, id, data, size);
    }

    /* Throws the exception of a task or of the call. Otherwise returns whether all tasks are
     * done. */
    bool ended(int result) {
        if (state_->thrown) {
            state_->caught.clear(std::memory_order_relaxed);
            std::rethrow_exception(std::exchange(state_->thrown, nullptr));
        }
        detail::check(result, runtime_);
        return result != STEAL_STOPPED;
    }

    bool keep(const std::string &path, std::chrono::nanoseconds every, void *data, std::size_t size) {
        auto settings = detail::initial<struct steal_checkpoint>();
        int result;

        settings.path = path.empty() ? nullptr : path.c_str();
        settings.every_ns = static_cast<std::int64_t>(every.count());
        settings.data = data;
        settings.data_size = size;
        result = ::steal_checkpoint(handle_, &settings);
        detail::check(result, runtime_);
        return result > 0;
    }

    static bool improved(int result) {
        if (result < 0)
            detail::fail(result, "the collection has no bound of this type, or the value is not a number");
        return result > 0;
    }

    worker seeder() const noexcept { return worker(steal_seeder(runtime_)); }

    template <class Measure> steal_statistics measured(Measure *measure) const {
        auto result = detail::initial<steal_statistics>();

        detail::check(measure(handle_, &result), runtime_);
        return result;
    }

    steal_runtime *runtime_;
    std::unique_ptr<state> state_;
    steal_collection *handle_ = nullptr;
};

/* One value for each worker, on cache lines of its own. It starts as Value{}. */
template <class Value> class per_worker {
public:
    explicit per_worker(const runtime &runtime) : slots_(static_cast<std::size_t>(runtime.workers())) {}
    Value &operator[](const worker &worker) noexcept {
        return slots_[static_cast<std::size_t>(worker.index())].value;
    }
    /* The values of this rank's workers, combined by + or by a function of two values. */
    template <class Combine = std::plus<Value>> Value total(Combine combine = {}) const {
        Value result = slots_[0].value;

        for (std::size_t i = 1; i < slots_.size(); i++)
            result = combine(result, slots_[i].value);
        return result;
    }

private:
    struct alignas(64) slot {
        Value value{};
    };
    std::vector<slot> slots_;
};

} // namespace juggle::steal

#endif
