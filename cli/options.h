/* SPDX-License-Identifier: BSD-3-Clause */
/* One table describes a program's options: it parses them, and prints --help and completions. */
#ifndef JUGGLE_CLI_OPTIONS_H
#define JUGGLE_CLI_OPTIONS_H

#include "libjuggle/ground/units.h"
#include "libjuggle/wish/field.h"
#include "libjuggle/wish/value.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Exit status of a usage error, in every program of Juggle. */
enum { EXIT_USAGE = 2 };

/* The exit status of a tool whose result is 0, -EINVAL (bad options), or another -errno. */
int exit_status_of(int error);

struct option_spec {
    const char *name;     /* long name without dashes */
    char letter;          /* short name, or 0 */
    const char *argument; /* what --help calls the argument; NULL for a flag; "[=X]" if optional,
                             "[N]" for a number that may be a word of its own */
    const char *help;     /* one line */
    /* Stores the argument's value in `target`: one of option_* below, or the program's own. Returns
     * 0, or -errno after setting *expected to what would have been right ("a duration such as
     * 10ms"). */
    int (*parse)(const char *text, void *target, const char **expected);
    size_t offset; /* of the target in the program's struct of settings */
};

struct command_spec {
    const char *name;               /* program name */
    const char *synopsis;           /* "[options] [--] command [args]" */
    const char *summary;            /* one sentence */
    const char *first_steps;        /* below the options in --help; may be NULL */
    const char *const *verbs;       /* the first operand is one of these; end with NULL; or NULL */
    const char *environment_prefix; /* "JUGGLE_": every option is also PREFIX_NAME; NULL for none */
    const char *const *foreign_variables; /* variables with the prefix that other programs read; end
                                             with NULL; or NULL */
    bool stop_at_operand;                 /* options end at the first operand */
    int exit_failed; /* exit status if --help cannot be written; 0 for EXIT_FAILURE */
    /* Says what is wrong with an option; gets the settings so far. NULL for complain(). */
    void (*complain)(const void *settings, const char *words);
    const struct option_spec *options; /* ends with a NULL name */
    /* The fields of this table are options, too, and come first. It ends with a NULL option; or
     * NULL. */
    const struct field *fields;
    size_t fields_offset; /* of the record that they fill in the struct of settings */
    bool fields_named;    /* only those that have a name in JSON */
};

/* Parses into `settings` (environment first, then argv) and sets *operands to the index of the
 * first operand in argv, which is permuted so that operands come last unless stop_at_operand. If
 * `operands` is NULL, an operand is an error. --help, --version and (hidden) --completion print to
 * stdout. Returns 0 to go on; otherwise the program is to end at once with *exit_status. Standard
 * streams that are closed are opened on /dev/null, so that no file takes their descriptors. Writing
 * to them fails as before. */
int options_parse(const struct command_spec *command, int argc, char **argv, void *settings,
                  int *operands, int *exit_status) MUST_CHECK;

/* Complains about environment variables that have the prefix but belong to no option. */
void options_warn(const struct command_spec *command);

/* Values. Targets: bool, int, int64_t (ns), double, const char *, uint64_t. */
int option_flag(const char *text, void *target, const char **expected);
int option_count(const char *text, void *target, const char **expected);    /* integer >= 1 */
int option_number(const char *text, void *target, const char **expected);   /* integer >= 0 */
int option_duration(const char *text, void *target, const char **expected); /* > 0, 10ms */
int option_fraction(const char *text, void *target, const char **expected); /* 10% or 0.1, 0..1 */
int option_real(const char *text, void *target, const char **expected);     /* finite double >= 0 */
/* As option_duration, at most a year. */
int option_length(const char *text, void *target, const char **expected);
int option_string(const char *text, void *target, const char **expected);
/* Finds the text among the `count` words, and gets its index. This is no parser for a table of
 * options: OPTION_WORD makes one. */
int option_word(const char *text, const char *const *words, size_t count, int *index) MUST_CHECK;
/* Defines a parser for a table of options: `option` takes one of an enum's words, which stand in
 * its order in an array. */
#define OPTION_WORD(option, type, words, expectation)                              \
    static int option(const char *text, void *target, const char **expected)       \
    {                                                                              \
        int chosen = 0;                                                            \
        const int error = option_word(text, (words), ARRAY_COUNT(words), &chosen); \
                                                                                   \
        *expected = (expectation);                                                 \
        if (!error)                                                                \
            *(type *)target = (type)chosen;                                        \
        return error;                                                              \
    }
int option_seed(const char *text, void *target, const char **expected);

/* One line on stderr: "NAME: message". */
void complain(const char *program, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Flushes stdout. -errno: something that was printed, now or before, could not be written. */
int stdout_flush(void) MUST_CHECK;
/* The same, but complains if it fails, and returns -EIO. */
int stdout_finish(const char *program) MUST_CHECK;

#endif
