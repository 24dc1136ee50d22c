/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/options.h"

#include "cli/foreign.h"
#include "libjuggle/ground/version.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    OPTIONS_MAX = 64,
    VALUE_BASE = 256, /* getopt values of options, above every short letter */
    VALUE_HELP = VALUE_BASE + OPTIONS_MAX,
    VALUE_VERSION,
    VALUE_COMPLETION,
    VARIABLE_SIZE = 64,
    HELP_LEFT_SIZE = 64,
};

/* One of all options: an option of the program's own, or a field. */
struct option_entry {
    const char *name;
    char letter;
    const char *argument;
    const char *help;
    const struct option_spec *option; /* NULL for a field */
    const struct field *field;
};

/* Blocks the signals that a write may raise, if they are not pending already. */
static void write_begin(sigset_t *raised, sigset_t *before)
{
    sigset_t pending;

    sigemptyset(raised);
    sigpending(&pending);
    if (!sigismember(&pending, SIGPIPE))
        sigaddset(raised, SIGPIPE);
    if (!sigismember(&pending, SIGXFSZ))
        sigaddset(raised, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, raised, before);
}

static void write_end(const sigset_t *raised, const sigset_t *before)
{
    while (sigtimedwait(raised, NULL, &(struct timespec){0}) > 0)
        ;
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* Writes the line in one call, so that lines of several processes do not mix. Whatever was put into
 * the line, it stays one. If nobody reads it, that ends nothing: juggle still has a program to run.
 */
void complain(const char *program, const char *format, ...)
{
    char shown[FOREIGN_LINE_SIZE];
    sigset_t raised, before;
    va_list arguments;

    va_start(arguments, format);
    write_begin(&raised, &before);
    fprintf(stderr, "%s: %s\n", program, foreign_format(shown, format, arguments));
    write_end(&raised, &before);
    va_end(arguments);
}

int stdout_flush(void)
{
    if (fflush(stdout))
        return -errno;
    return ferror(stdout) ? -EIO : 0;
}

int stdout_finish(const char *program)
{
    if (!stdout_flush())
        return 0;
    complain(program, "cannot write the result to stdout");
    return -EIO;
}

/* ---- all options: first the fields ---- */

/* Returns how many there are. */
static int entries_list(const struct command_spec *command,
                        struct option_entry entries[OPTIONS_MAX])
{
    int count = 0;

    for (const struct field *field = command->fields; field && field->option; field++)
        if (field->name || !command->fields_named)
            entries[count++] = (struct option_entry){field->option, field->letter, field->argument,
                                                     field->help,   NULL,          field};
    for (const struct option_spec *option = command->options; option->name; option++)
        entries[count++] = (struct option_entry){option->name, option->letter, option->argument,
                                                 option->help, option,         NULL};
    return count;
}

/* ---- help, completion ---- */

/* "[N]" may be a word of its own, as it is a number; "[=X]" follows the option in the same word. */
static bool argument_is_apart(const char *argument)
{
    return argument && argument[0] == '[' && argument[1] != '=';
}

static void print_entry(const struct option_entry *entry)
{
    char left[HELP_LEFT_SIZE], hint[FIELD_WORDS_SIZE] = "";
    int length = entry->letter
                     ? snprintf(left, sizeof(left), "  -%c, --%s", entry->letter, entry->name)
                     : snprintf(left, sizeof(left), "      --%s", entry->name);

    if (entry->argument)
        snprintf(left + length, sizeof(left) - (size_t)length,
                 strncmp(entry->argument, "[=", 2) ? " %s" : "%s", entry->argument);
    if (entry->field)
        field_hint(entry->field, hint);
    printf("%-31s %s%s\n", left, entry->help, hint);
}

static void print_help(const struct command_spec *command)
{
    struct option_entry entries[OPTIONS_MAX];
    const int count = entries_list(command, entries);

    printf("Usage: %s %s\n%s\n\n", command->name, command->synopsis, command->summary);
    for (int i = 0; i < count; i++)
        print_entry(&entries[i]);
    printf("%-31s %s\n%-31s %s\n", "      --help", "print this and exit", "      --version",
           "print the version and exit");
    if (command->first_steps)
        printf("\n%s", command->first_steps);
}

/* Prints what the option takes, as far as a shell can offer it: the words of a choice, or the name
 * of the value in --help. */
static void print_argument(const struct option_entry *entry)
{
    const struct field *field = entry->field;

    if (field && field->type == FIELD_CHOICE)
        for (int i = 0; field->word(i); i++)
            printf("%s%s", i ? "|" : "", field->word(i));
    else if (entry->argument)
        fputs(entry->argument, stdout);
}

/* For shell completion and the test that compares the man pages with the table: one option or verb
 * per line, an option with its argument and help behind tabs, and "--" if a command follows. */
static void print_completion(const struct command_spec *command)
{
    struct option_entry entries[OPTIONS_MAX];
    const int count = entries_list(command, entries);

    for (int i = 0; i < count; i++) {
        printf("--%s%s\t", entries[i].name, entries[i].argument ? "=" : "");
        print_argument(&entries[i]);
        printf("\t%s\n", entries[i].help);
        if (entries[i].letter)
            printf("-%c\n", entries[i].letter);
    }
    puts("--help\t\tprint this and exit\n--version\t\tprint the version and exit");
    if (command->stop_at_operand)
        puts("--");
    for (const char *const *verb = command->verbs; verb && *verb; verb++)
        puts(*verb);
}

/* ---- parsing ---- */

static void __attribute__((format(printf, 3, 4)))
refuse(const struct command_spec *command, const void *settings, const char *format, ...)
{
    char shown[FOREIGN_LINE_SIZE];
    va_list arguments;

    va_start(arguments, format);
    foreign_format(shown, format, arguments);
    va_end(arguments);
    if (command->complain)
        command->complain(settings, shown);
    else
        complain(command->name, "%s", shown);
}

/* `source` is how the user gave it: the option or the variable. */
static int entry_apply(const struct command_spec *command, const struct option_entry *entry,
                       const char *source, const char *text, void *settings)
{
    char words[FIELD_WORDS_SIZE];
    const char *expected = words;
    int error;

    if (entry->field) {
        field_expects(entry->field, words);
        error = field_set(entry->field, (char *)settings + command->fields_offset,
                          text ? text : "yes");
    } else {
        error = entry->option->parse(text, (char *)settings + entry->option->offset, &expected);
    }
    if (error)
        refuse(command, settings, "%s: '%s' is not usable: expected %s", source, text ? text : "",
               expected);
    return error;
}

static void variable_name(const struct command_spec *command, const struct option_entry *entry,
                          char name[VARIABLE_SIZE])
{
    int length = snprintf(name, VARIABLE_SIZE, "%s%s", command->environment_prefix, entry->name);

    for (int i = 0; i < length; i++)
        name[i] = name[i] == '-' ? '_' : (char)toupper((unsigned char)name[i]);
}

static int environment_parse(const struct command_spec *command, const struct option_entry *entries,
                             int count, void *settings)
{
    for (int i = 0; i < count; i++) {
        char name[VARIABLE_SIZE];
        variable_name(command, &entries[i], name);
        const char *text = getenv(name);
        if (text && entry_apply(command, &entries[i], name, text, settings))
            return -EINVAL;
    }
    return 0;
}

static bool is_name(const char *name, const char *variable, size_t length)
{
    return strlen(name) == length && !strncmp(name, variable, length);
}

static bool variable_is_known(const struct command_spec *command,
                              const struct option_entry *entries, int count, const char *variable,
                              size_t length)
{
    for (int i = 0; i < count; i++) {
        char name[VARIABLE_SIZE];
        variable_name(command, &entries[i], name);
        if (is_name(name, variable, length))
            return true;
    }
    for (const char *const *name = command->foreign_variables; name && *name; name++)
        if (is_name(*name, variable, length))
            return true;
    return false;
}

void options_warn(const struct command_spec *command)
{
    struct option_entry entries[OPTIONS_MAX];
    const int count = entries_list(command, entries);
    const char *prefix = command->environment_prefix;

    for (char **variable = environ; prefix && *variable; variable++) {
        const size_t length = strcspn(*variable, "=");
        if (!strncmp(*variable, prefix, strlen(prefix)) &&
            !variable_is_known(command, entries, count, *variable, length))
            complain(command->name,
                     "%.*s is ignored: no option has this environment variable, see '%s --help'",
                     (int)length, *variable, command->name);
    }
}

static void getopt_tables(const struct command_spec *command, const struct option_entry *entries,
                          int count, struct option *longs, char *shorts)
{
    if (command->stop_at_operand)
        *shorts++ = '+'; /* the default permutes */
    *shorts++ = ':';
    for (int i = 0; i < count; i++) {
        const struct option_entry *entry = &entries[i];
        const int has = !entry->argument          ? no_argument
                        : *entry->argument == '[' ? optional_argument
                                                  : required_argument;

        longs[i] = (struct option){entry->name, has, NULL, VALUE_BASE + i};
        if (entry->letter) {
            *shorts++ = entry->letter;
            for (int colon = 0; colon < has; colon++)
                *shorts++ = ':';
        }
    }
    longs[count] = (struct option){"help", no_argument, NULL, VALUE_HELP};
    longs[count + 1] = (struct option){"version", no_argument, NULL, VALUE_VERSION};
    longs[count + 2] = (struct option){"completion", no_argument, NULL, VALUE_COMPLETION};
    longs[count + 3] = (struct option){0};
    *shorts = '\0';
}

/* getopt returns only values that are in the table. */
static const struct option_entry *entry_find(const struct option_entry *entries, int value)
{
    if (value >= VALUE_BASE)
        return &entries[value - VALUE_BASE];
    while (entries->letter != value)
        entries++;
    return entries;
}

/* Says which options begin with this word, or that none does. */
static void abbreviation_complain(const struct command_spec *command, const void *settings,
                                  const struct option *longs, const char *word)
{
    const size_t length = strcspn(word, "=") - strlen("--");
    char meanings[OPTIONS_MAX * VARIABLE_SIZE];
    int used = 0;

    for (const struct option *option = longs; option->val != VALUE_COMPLETION; option++)
        if (!strncmp(option->name, word + strlen("--"), length))
            used += snprintf(meanings + used, sizeof(meanings) - (size_t)used, "%s--%s",
                             used ? ", " : "", option->name);
    if (used)
        refuse(command, settings, "option '%s' may be any of %s", word, meanings);
    else
        refuse(command, settings, "unknown option '%s': see '%s --help'", word, command->name);
}

static int usage_error(const struct command_spec *command, const void *settings,
                       const struct option *longs, int value, char **argv)
{
    const char *word = argv[optind - 1];

    if (value == ':')
        refuse(command, settings, "option '%s' needs an argument: see '%s --help'", word,
               command->name);
    else if (optopt >= VALUE_BASE)
        refuse(command, settings, "option '%s' takes no argument: see '%s --help'", word,
               command->name);
    else if (optopt)
        refuse(command, settings, "unknown option '-%c': see '%s --help'", optopt, command->name);
    else
        abbreviation_complain(command, settings, longs, word);
    return -EINVAL;
}

static int tell(const struct command_spec *command, int value, int *exit_status)
{
    *exit_status = 0;
    if (value == VALUE_HELP)
        print_help(command);
    else if (value == VALUE_VERSION)
        printf("%s %s\n", command->name, JUGGLE_VERSION);
    else
        print_completion(command);
    if (stdout_finish(command->name))
        *exit_status = command->exit_failed ? command->exit_failed : EXIT_FAILURE;
    return -ECANCELED;
}

/* Returns the number in the word behind an option that may have one; getopt takes that word for an
 * operand. NULL: there is none. */
static const char *argument_apart(const struct option_entry *entry, int argc, char **argv)
{
    if (!argument_is_apart(entry->argument) || optind >= argc || !*argv[optind] ||
        argv[optind][strspn(argv[optind], "0123456789")])
        return NULL;
    return argv[optind++];
}

/* A file that the program opens must not get the descriptor of a standard stream that was closed:
 * the program would write messages into it. So these streams are opened on /dev/null, in the
 * direction in which they are not used: using them fails as if they were closed. They are closed
 * again in programs that this one executes. */
static void streams_hold(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void)!open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

int exit_status_of(int error)
{
    return error == 0 ? EXIT_SUCCESS : error == -EINVAL ? EXIT_USAGE : EXIT_FAILURE;
}

int options_parse(const struct command_spec *command, int argc, char **argv, void *settings,
                  int *operands, int *exit_status)
{
    struct option_entry entries[OPTIONS_MAX];
    const int count = entries_list(command, entries);
    struct option longs[OPTIONS_MAX + 4];
    char shorts[3 * OPTIONS_MAX + 3];
    int value;

    streams_hold();
    *exit_status = EXIT_USAGE;
    if (command->environment_prefix && environment_parse(command, entries, count, settings))
        return -EINVAL;
    getopt_tables(command, entries, count, longs, shorts);
    optind = 0;
    opterr = 0;
    while ((value = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        if (value == '?' || value == ':')
            return usage_error(command, settings, longs, value, argv);
        if (value >= VALUE_HELP)
            return tell(command, value, exit_status);
        const struct option_entry *entry = entry_find(entries, value);
        char source[VARIABLE_SIZE];
        snprintf(source, sizeof(source), "--%s", entry->name);
        const char *text = optarg ? optarg : argument_apart(entry, argc, argv);
        if (entry_apply(command, entry, source, text, settings))
            return -EINVAL;
    }
    if (operands)
        *operands = optind;
    else if (optind < argc) {
        refuse(command, settings, "'%s' is not an option: see '%s --help'", argv[optind],
               command->name);
        return -EINVAL;
    }
    return 0;
}
