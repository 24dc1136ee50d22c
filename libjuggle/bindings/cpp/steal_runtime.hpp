/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The first part of <juggle/steal.hpp>, which includes this file: errors, settings, and the runtime
 * that collections belong to.
 */
#ifndef JUGGLE_STEAL_RUNTIME_HPP
#define JUGGLE_STEAL_RUNTIME_HPP

#include <juggle/steal.h>

#include <cerrno>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace juggle::steal {

/* ---- errors -------------------------------------------------------------------------------- */

/* One line that says what failed, and the positive errno. */
class error : public std::runtime_error {
public:
    error(int code, const std::string &message) : std::runtime_error(message), code_(code) {}
    int code() const noexcept { return code_; }

private:
    int code_;
};

/* Thrown if another rank failed, or if a task canceled the processing. */
class canceled : public error {
public:
    using error::error;
};

namespace detail {

[[noreturn]] inline void fail(int result, const char *message) {
    const std::string text = message && *message ? message : "a call of the stealing runtime failed";

    if (result == -ECANCELED)
        throw canceled(ECANCELED, text);
    throw error(-result, text);
}

inline void check(int result, const steal_runtime *runtime) {
    if (result < 0)
        fail(result, steal_message(runtime));
}

template <class Settings> Settings initial() {
    Settings result;

    STEAL_INIT(&result);
    return result;
}

template <class Settings>
Settings parsed(int parse(Settings *, const char *, steal_error *), const char *text, Settings result) {
    steal_error why;
    const int outcome = parse(&result, text, &why);

    if (outcome < 0)
        fail(outcome, why.message);
    return result;
}

} // namespace detail

/* The settings of the C interface, with their defaults. */
inline steal_options options() {
    return detail::initial<steal_options>();
}
inline steal_properties properties() {
    return detail::initial<steal_properties>();
}

/* Reads settings from a text, such as "lifelines=2,mode=threads", on top of the given ones. */
inline steal_options options(const char *text, steal_options over = options()) {
    return detail::parsed(steal_options_parse, text, over);
}
inline steal_properties properties(const char *text, steal_properties over = properties()) {
    return detail::parsed(steal_properties_parse, text, over);
}

/* ---- runtime ------------------------------------------------------------------------------- */

class runtime {
public:
    /* Collective, as the destructor. `comm` points to an MPI_Comm, or is null: MPI_COMM_WORLD. */
    explicit runtime(const steal_options &settings = steal::options(), const void *comm = nullptr) {
        steal_error why;
        const int result = steal_runtime_create(comm, &settings, &handle_, &why);

        if (result < 0)
            detail::fail(result, why.message);
    }
    ~runtime() { (void)steal_runtime_destroy(handle_); }
    runtime(const runtime &) = delete;
    runtime &operator=(const runtime &) = delete;

    int rank() const noexcept { return steal_rank(handle_); }
    int ranks() const noexcept { return steal_ranks(handle_); }
    int workers() const noexcept { return steal_workers(handle_); }
    const char *message() const noexcept { return steal_message(handle_); }
    /* True if the runtime can process nothing any more, and can only be destroyed. */
    bool failed() const noexcept { return steal_runtime_failed(handle_) == 1; }
    steal_runtime *get() const noexcept { return handle_; }

    /* Collective. The sum, or the greatest, of the value over all ranks. */
    std::int64_t sum(std::int64_t value) const {
        detail::check(steal_sum(handle_, &value, 1), handle_);
        return value;
    }
    std::int64_t max(std::int64_t value) const {
        detail::check(steal_max(handle_, &value, 1), handle_);
        return value;
    }

    /* Registers a function. Other collections with the same name and the same type of function
     * share the registration. */
    steal_function function(const std::string &name, steal_exec *exec) {
        steal_function result = 0;

        for (const registered &known : functions_)
            if (known.name == name && known.exec == exec)
                return known.function;
        detail::check(steal_function_register(handle_, name.c_str(), exec, &result), handle_);
        functions_.push_back({name, exec, result});
        return result;
    }

private:
    struct registered {
        std::string name;
        steal_exec *exec;
        steal_function function;
    };

    steal_runtime *handle_ = nullptr;
    std::vector<registered> functions_;
};

} // namespace juggle::steal

#endif
