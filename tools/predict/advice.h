/* SPDX-License-Identifier: BSD-3-Clause */
/* Advice says in one sentence whether proactive balancing is worth it, and with which period. */
#ifndef JUGGLE_PREDICT_ADVICE_H
#define JUGGLE_PREDICT_ADVICE_H

#include "tools/predict/question.h"

#include <stdbool.h>
#include <stddef.h>

enum advice_kind {
    ADVICE_EVEN,      /* static placement is perfect */
    ADVICE_ALIKE,     /* static placement is perfect on these unequal processors */
    ADVICE_PLACE,     /* placing threads by speed once is as good as moving them */
    ADVICE_LITTLE,    /* even perfect balancing saves almost no time */
    ADVICE_CROSS,     /* the same, because threads may not leave their domains */
    ADVICE_TOO_SHORT, /* phases are shorter than any period that pays */
    ADVICE_KEEP,      /* the period is good */
    ADVICE_SHORTEN,   /* a shorter period saves more time */
    ADVICE_LENGTHEN,  /* a longer period saves the same time and costs less */
};

struct period_advice {
    enum advice_kind kind;
    int64_t period_ns;     /* the period to choose if balancing is worth it */
    double speedup;        /* of proactive balancing with that period */
    double given_speedup;  /* the same with the period of the question */
    double placed_speedup; /* of threads placed by speed and never moved */
    bool reactive_will_do; /* reactive balancing saves about the same time */
};

/* `prediction` must be the successful result of question_predict() for this question. */
struct period_advice advice_of(const struct question *question,
                               const struct prediction *prediction);

/* Writes the sentence; returns buffer. ADVICE_TEXT_SIZE is enough. */
enum { ADVICE_TEXT_SIZE = 256 };
char *advice_text(const struct period_advice *advice, const struct question *question, char *buffer,
                  size_t size);

#endif
