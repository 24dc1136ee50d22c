/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts, in this order:
 * - one NAME=VALUE of a text
 * - for the program: options and properties by text
 * - for the user: what the environment changes
 * - the help: what can be set */
#include "libjuggle/steal/runtime/settings.h"

#include "libjuggle/ground/version.h"
#include "libjuggle/steal/runtime/tables.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct parameters *const tables[] = {
    [SECTION_OPTIONS] = &options_parameters,
    [SECTION_PROPERTIES] = &properties_parameters,
    [SECTION_BALANCE] = &balance_parameters,
    [SECTION_CHECKPOINT] = &checkpoint_parameters,
};

/* One NAME=VALUE of a text. */
struct assignment {
    const char *name;
    size_t name_length;
    const char *value; /* NULL: there is none */
    size_t value_length;
};

static const char blanks[] = " \t\n";

static void trim(const char **text, size_t *length)
{
    size_t leading = strspn(*text, blanks);

    leading = leading < *length ? leading : *length;
    *text += leading;
    *length -= leading;
    while (*length > 0 && strchr(blanks, (*text)[*length - 1]))
        --*length;
}

/* Goes to the next assignment of the text, past empty ones; false at the end of the text. */
static bool assignment_next(const char **text, struct assignment *assignment)
{
    const char *equals;

    do {
        if (!**text)
            return false;
        assignment->name = *text;
        assignment->name_length = strcspn(*text, ",");
        *text += assignment->name_length + (assignment->name[assignment->name_length] == ',');
        trim(&assignment->name, &assignment->name_length);
    } while (assignment->name_length == 0);
    equals = memchr(assignment->name, '=', assignment->name_length);
    assignment->value = NULL;
    if (equals) {
        assignment->value = equals + 1;
        assignment->value_length = assignment->name_length -
                                   (size_t)(assignment->value - assignment->name);
        assignment->name_length = (size_t)(equals - assignment->name);
    }
    return true;
}

static const struct parameter *table_find(const struct parameters *table, const char *name,
                                          size_t length)
{
    for (size_t i = 0; i < table->count; i++)
        if (strlen(table->list[i].name) == length && memcmp(table->list[i].name, name, length) == 0)
            return &table->list[i];
    return NULL;
}

__attribute__((format(printf, 3, 4))) static int
refuse(char *message, const struct assignment *assignment, const char *why, ...)
{
    int used = snprintf(message, STEAL_MESSAGE_MAX, "'%.*s' ",
                        (int)min_i64((int64_t)assignment->name_length, 64), assignment->name);
    va_list arguments;

    va_start(arguments, why);
    vsnprintf(message + used, (size_t)(STEAL_MESSAGE_MAX - used), why, arguments);
    va_end(arguments);
    return -EINVAL;
}

/* True if there is a blank beside the '='. Blanks around the whole assignment are allowed. */
static bool blank_beside_equals(const struct assignment *assignment)
{
    if (!assignment->value)
        return false;
    return (assignment->name_length > 0 &&
            strchr(blanks, assignment->name[assignment->name_length - 1])) ||
           (assignment->value_length > 0 && strchr(blanks, *assignment->value));
}

static int assignment_apply(struct assignment *assignment, enum settings_section section,
                            void *settings, char *message)
{
    const struct parameter *parameter = NULL;
    int found;

    if (blank_beside_equals(assignment))
        return refuse(message, assignment, "has a blank beside its '='");
    for (found = 0; found < (int)ARRAY_COUNT(tables); found++)
        if ((parameter = table_find(tables[found], assignment->name, assignment->name_length)))
            break;
    if (!parameter)
        return refuse(message, assignment, "is not a setting of the stealing runtime");
    if (parameter->fixed)
        return refuse(message, assignment, "can be set only in the program's code");
    if (!assignment->value && parameter->flag) {
        assignment->value = "1";
        assignment->value_length = 1;
    }
    if (!assignment->value)
        return refuse(message, assignment, "has no value: it is %s=VALUE", parameter->name);
    if (found != (int)section)
        return 0;
    return parameter_parse(parameter, settings, assignment->value, assignment->value_length,
                           message);
}

/* The struct may be half changed on failure. */
static int settings_apply(const char *text, enum settings_section section, void *settings,
                          char *message)
{
    const bool commas = strchr(text, ',');
    struct assignment assignment;
    int result = 0, count = 0;

    for (; result == 0 && assignment_next(&text, &assignment); count++)
        result = assignment_apply(&assignment, section, settings, message);
    if (count > 0 || !commas)
        return result;
    snprintf(message, STEAL_MESSAGE_MAX, "a setting is missing between two commas");
    return -EINVAL;
}

/* ---- for the program ----------------------------------------------------------------------- */

/* Refuses parameters of checkpoints, which are in neither struct that such a text sets. */
static int checkpoint_refuse(const char *text, char *message)
{
    for (size_t i = 0; i < checkpoint_parameters.count; i++) {
        const char *name = checkpoint_parameters.list[i].name;

        if (settings_name(text, name)) {
            snprintf(message, STEAL_MESSAGE_MAX,
                     "'%s' can be set only in JUGGLE_STEAL or with steal_checkpoint()", name);
            return -EINVAL;
        }
    }
    return 0;
}

static int fault(struct steal_error *error, const char *message)
{
    if (error)
        snprintf(error->message, sizeof(error->message), "%s", message);
    return -EINVAL;
}

int steal_options_parse(struct steal_options *options, const char *text, struct steal_error *error)
{
    char message[STEAL_MESSAGE_MAX] = "";
    struct steal_options parsed;

    if (!options || !text)
        return fault(error, options ? "text is NULL" : "options is NULL");
    if (versioned_read(&versioned_options, options, &parsed, message) < 0 ||
        checkpoint_refuse(text, message) < 0 ||
        settings_apply(text, SECTION_OPTIONS, &parsed, message) < 0)
        return fault(error, message);
    versioned_write(&parsed, options);
    return 0;
}

int steal_properties_parse(struct steal_properties *properties, const char *text,
                           struct steal_error *error)
{
    char message[STEAL_MESSAGE_MAX] = "";
    struct steal_properties parsed;

    if (!properties || !text)
        return fault(error, properties ? "text is NULL" : "properties is NULL");
    if (versioned_read(&versioned_properties, properties, &parsed, message) < 0 ||
        checkpoint_refuse(text, message) < 0 ||
        settings_apply(text, SECTION_PROPERTIES, &parsed, message) < 0 ||
        settings_apply(text, SECTION_BALANCE, &parsed.balance, message) < 0)
        return fault(error, message);
    versioned_write(&parsed, properties);
    return 0;
}

/* ---- for the user -------------------------------------------------------------------------- */

bool settings_name(const char *text, const char *name)
{
    struct assignment assignment;

    while (text && assignment_next(&text, &assignment))
        if (strlen(name) == assignment.name_length &&
            memcmp(name, assignment.name, assignment.name_length) == 0)
            return true;
    return false;
}

/* True if the parameter has no effect, and only the program could change that: it needs, directly
 * or not, another parameter that no text sets. */
static bool needs_program(const struct parameters *table, const struct parameter *parameter,
                          const void *settings)
{
    while (!parameter_has_effect(parameter, settings)) {
        const size_t needed = parameter->needs_offset;

        parameter = table->list;
        while (parameter->offset != needed)
            parameter++;
        if (parameter->fixed)
            return true;
    }
    return false;
}

/* Bit i is set if parameter i is not ignored. */
static uint64_t effective(const struct parameters *table, const void *settings)
{
    uint64_t bits = 0;

    for (size_t i = 0; i < table->count; i++)
        bits |= (uint64_t)parameter_has_effect(&table->list[i], settings) << i;
    return bits;
}

/* Clears parameters that are ignored without being a mistake: those of the program that had an
 * effect before the user's text, and those of the user that no text can give an effect. */
static void settings_prune(const char *text, const struct parameters *table,
                           uint64_t effective_before, void *settings)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct parameter *parameter = &table->list[i];
        const bool named = settings_name(text, parameter->name);

        if (parameter_has_effect(parameter, settings))
            continue;
        if (named ? needs_program(table, parameter, settings) : effective_before >> i & 1)
            parameter_clear(parameter, settings);
    }
}

int settings_over(const char *text, enum settings_section section, void *settings, char *message)
{
    const uint64_t effective_before = effective(tables[section], settings);
    char why[STEAL_MESSAGE_MAX] = "";

    if (!text)
        return 0;
    if (settings_apply(text, section, settings, why) < 0) {
        snprintf(message, STEAL_MESSAGE_MAX, "JUGGLE_STEAL: %.*s", STEAL_MESSAGE_MAX - 16, why);
        return -EINVAL;
    }
    settings_prune(text, tables[section], effective_before, settings);
    return 0;
}

static bool balances(const struct steal_properties *properties)
{
    return properties->balance_every > 0 || properties->balance_if_it_pays;
}

/* Clears the user's settings of results if the program takes none, because they have no effect
 * then. */
static void results_prune(const char *text, struct steal_properties *properties)
{
    if (properties->result || properties->results_path)
        return;
    if (settings_name(text, "results"))
        properties->results = STEAL_RESULTS_ARRIVED;
    if (settings_name(text, "results_memory"))
        properties->results_memory = 0;
}

/* If steal_process() does not balance, settings of balancing have no effect. */
int settings_over_properties(const char *text, struct steal_properties *properties, char *message)
{
    const bool balanced = balances(properties);
    int result = settings_over(text, SECTION_PROPERTIES, properties, message);

    if (result == 0 && balances(properties))
        result = settings_over(text, SECTION_BALANCE, &properties->balance, message);
    if (result < 0)
        return result;
    results_prune(text, properties);
    if (balanced && !balances(properties))
        properties->balance = (struct steal_balance){.size = properties->balance.size};
    return 0;
}

/* ---- the help ------------------------------------------------------------------------------ */

enum { HELP_COLUMN = 26 };

struct help_text {
    char *text;
    size_t size;
    size_t length; /* of the whole text, whether it fits or not */
};

__attribute__((format(printf, 2, 3))) static int help_add(struct help_text *help,
                                                          const char *format, ...)
{
    const size_t room = help->length < help->size ? help->size - help->length : 0;
    va_list arguments;
    int added;

    va_start(arguments, format);
    added = vsnprintf(room > 0 ? help->text + help->length : NULL, room, format, arguments);
    va_end(arguments);
    help->length += added > 0 ? (size_t)added : 0;
    return added;
}

static int help_add_values(struct help_text *help, const struct parameter *parameter)
{
    const char *name;
    int added = 0;

    if (parameter->type == PARAMETER_TEXT || parameter->type == PARAMETER_TIME)
        return help_add(help, parameter->type == PARAMETER_TEXT ? "FILE" : "TIME");
    if (parameter->type != PARAMETER_CHOICE)
        return help_add(help, parameter->type == PARAMETER_DOUBLE ? "X" : "N");
    for (int i = 0; (name = steal_choice_name(parameter->choice, i)); i++)
        added += help_add(help, "%s%s", i > 0 ? "|" : "", name);
    return added;
}

static void help_add_parameter(struct help_text *help, const struct parameter *parameter)
{
    int column = help_add(help, "  %s=", parameter->name);

    column += help_add_values(help, parameter);
    if (column > HELP_COLUMN - 2) {
        help_add(help, "\n");
        column = 0;
    }
    help_add(help, "%*s%s", HELP_COLUMN - column, "", parameter->help);
    if (parameter->preset > 0 && parameter->type != PARAMETER_DOUBLE)
        help_add(help, "; 0: %.0f", parameter->preset);
    help_add(help, "\n");
}

size_t steal_settings_help(char *text, size_t size)
{
    struct help_text help = {.text = text, .size = text ? size : 0};

    for (int section = 0; section < (int)ARRAY_COUNT(tables); section++)
        for (size_t i = 0; i < tables[section]->count; i++)
            if (!tables[section]->list[i].fixed)
                help_add_parameter(&help, &tables[section]->list[i]);
    return help.length;
}

const char *steal_version(void)
{
    return JUGGLE_VERSION;
}
