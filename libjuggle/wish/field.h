/* SPDX-License-Identifier: BSD-3-Clause */
/* Describes one value of a record: its names, how it is written, its bounds, and its default.
 * Options, configuration, JSON and --help come from this description. Pure. */
#ifndef JUGGLE_WISH_FIELD_H
#define JUGGLE_WISH_FIELD_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>

/* How a value is written. The comments give its type in the record. */
enum field_type {
    FIELD_NUMBER,   /* int */
    FIELD_DURATION, /* int64_t */
    FIELD_FLAG,     /* bool */
    FIELD_CHOICE,   /* an enum: one of some words */
    /* The types from here on are texts: see the table in field.c. */
    FIELD_LIST,    /* char[FIELD_LIST_SIZE]: processors, as "0-3,8" */
    FIELD_LISTS,   /* the same: "0-3;4-7" */
    FIELD_SPEEDS,  /* the same: "1x4,0.6x4", auto or equal */
    FIELD_PATTERN, /* char[FIELD_PATTERN_SIZE]: of glob(7) */
};

enum {
    FIELD_LIST_SIZE = 2048,
    FIELD_PATTERN_SIZE = 64,
    FIELD_WORDS_SIZE = 128, /* of a text about a field */
};

struct field {
    const char *option;   /* --idle-comm, and JUGGLE_IDLE_COMM */
    const char *key;      /* in juggle.conf; NULL: not there */
    const char *name;     /* in JSON; NULL: not there */
    char letter;          /* short option, or 0 */
    const char *argument; /* what --help calls the value; NULL for a flag */
    const char *help;     /* one line, without range and default */
    const char *standard; /* the default as it is written; NULL: the empty text, no */
    enum field_type type;
    int64_t low, high;              /* of numbers and durations (ns) */
    int64_t automatic;              /* what "auto" stands for, if that is the default */
    const char *(*word)(int index); /* the words of a choice; NULL behind the last */
    size_t offset;                  /* in the record */
    size_t target;                  /* in the struct that field_apply writes to */
};

/* ---- from text ---- */

/* Parses the text and stores the value. -EINVAL, -ERANGE: the text is not what field_expects says;
 * nothing is changed. */
int field_set(const struct field *field, void *record, const char *text) MUST_CHECK;
/* Sets the field to its default. */
void field_reset(const struct field *field, void *record);

/* Writes what field_set takes: "a duration from 1ms to 100ms, or auto". */
void field_expects(const struct field *field, char words[FIELD_WORDS_SIZE]);
/* Writes what --help says after the help of the field: ", 1ms to 100ms (auto)". */
void field_hint(const struct field *field, char words[FIELD_WORDS_SIZE]);

/* ---- from typed values; each as field_set, and -EINVAL for another type ---- */

int field_put_number(const struct field *field, void *record, int64_t number) MUST_CHECK;
int field_put_flag(const struct field *field, void *record, bool flag) MUST_CHECK;
int field_put_text(const struct field *field, void *record, const char *text) MUST_CHECK;

/* ---- looking ---- */

bool field_equal(const struct field *field, const void *a, const void *b);
/* The value of a number or duration. */
int64_t field_number(const struct field *field, const void *record);
bool field_flag(const struct field *field, const void *record);
/* The word of a choice, or the text of a field that is kept as text. */
const char *field_text(const struct field *field, const void *record);

/* Copies the value to field->target of `made`; a text as a pointer into the record, NULL if it is
 * empty. */
void field_apply(const struct field *field, const void *record, void *made);

#endif
