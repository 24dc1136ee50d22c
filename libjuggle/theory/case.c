/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/theory/case.h"

const char *theory_condition_text(enum theory_condition condition)
{
    switch (condition) {
    case THEORY_HOLDS:
        return "nothing more";
    case THEORY_NEEDS_A_CASE:
        return "threads, processors, phases and durations above zero, and no more domains than "
               "processors";
    case THEORY_NEEDS_IMBALANCE:
        return "more threads than processors, and not a multiple";
    case THEORY_NEEDS_SHORT_PERIOD:
        return "a period shorter than a phase takes under static balancing";
    case THEORY_NEEDS_LONG_PERIOD:
        return "a period at least as long as a phase takes under static balancing";
    case THEORY_NEEDS_A_POINT:
        return "a period shorter than the whole run takes under static balancing";
    case THEORY_NEEDS_FAST_SLOTS:
        return "at least as many fast slots as slow ones";
    case THEORY_NEEDS_SLOW_SLOTS:
        return "more slow slots than fast ones";
    case THEORY_NEEDS_RUNNING:
        return "a balancing point before the first thread is done";
    case THEORY_NEEDS_BELOW_TWO:
        return "more than one and fewer than two threads per processor";
    case THEORY_NEEDS_FEWER_THREADS:
        return "at most 4096 threads";
    }
    return "a known condition";
}

/* ---- slots ---- */

struct theory_slots theory_slots(int n, int m)
{
    const int slow_processors = n % m;
    const int ceil = ceil_div(n, m);
    const int n_slow = n > m ? slow_processors * ceil : 0;

    return (struct theory_slots){
        .floor = floor_div(n, m),
        .ceil = ceil,
        .slow_processors = n > m ? slow_processors : 0,
        .fast_processors = n > m ? m - slow_processors : m,
        .n_slow = n_slow,
        .n_fast = n - n_slow,
    };
}
