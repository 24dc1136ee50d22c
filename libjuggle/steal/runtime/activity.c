/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/activity.h"

#include <stdbool.h>

static void trace_add(struct activity *activity, uint32_t state, int64_t now_ns)
{
    struct activity_trace *trace = &activity->trace;

    if (trace->capacity == 0)
        return;
    trace->events[trace->count++ % trace->capacity] = (struct activity_event){
        now_ns, activity->worker, state};
}

/* Adds the time spent in the state that ends. */
static void activity_add(struct activity *activity, int64_t now_ns)
{
    bool active = activity->state == STEAL_STATE_WORKING ||
                  activity->state == STEAL_STATE_ANSWERING;

    activity->state_ns[activity->state] += now_ns - activity->since_ns;
    if (active && activity->timeline)
        timeline_add(activity->timeline, activity->since_ns, now_ns);
}

void activity_begin(struct activity *activity, enum steal_state state, int64_t now_ns)
{
    for (int i = 0; i < STEAL_STATE_COUNT; i++)
        activity->state_ns[i] = 0;
    activity->state = state;
    activity->since_ns = now_ns;
    if (activity->timeline)
        timeline_begin(activity->timeline, now_ns);
    trace_add(activity, state, now_ns);
}

void activity_enter(struct activity *activity, enum steal_state state, int64_t now_ns)
{
    if (state == activity->state)
        return;
    activity_add(activity, now_ns);
    activity->state = state;
    activity->since_ns = now_ns;
    trace_add(activity, state, now_ns);
}

void activity_end(struct activity *activity, int64_t now_ns)
{
    activity_add(activity, now_ns);
    trace_add(activity, STEAL_STATE_COUNT, now_ns);
}

size_t activity_copy(const struct activity_trace *trace, int64_t origin_ns,
                     struct activity_event *events)
{
    size_t count = trace->count < trace->capacity ? trace->count : trace->capacity;

    for (size_t i = 0; i < count; i++) {
        events[i] = trace->events[(trace->count - count + i) % trace->capacity];
        events[i].time_ns -= origin_ns;
    }
    return count;
}

const char *activity_name(uint32_t state)
{
    static const char *const names[] = {
        [STEAL_STATE_WORKING] = "working",     [STEAL_STATE_SEARCHING] = "searching",
        [STEAL_STATE_ANSWERING] = "answering", [STEAL_STATE_TERMINATING] = "terminating",
        [STEAL_STATE_COUNT] = "idle",
    };

    return state < ARRAY_COUNT(names) ? names[state] : "unknown";
}
