/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/sim/sweep.h"

#include "cli/options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ITEM_TEXT_SIZE = 64 };

/* Steps such as 0.01 do not add up exactly: the end belongs to the range if the last value exceeds
 * it by less than this share. */
#define RANGE_TOLERANCE 1e-9

static const struct quantity_spec {
    const char *name;
    bool duration;
    bool whole;
    double most; /* the maximum of the option; for seeds, the largest that a double holds exactly */
} quantities[] = {
    [SWEEP_THREADS] = {"n", false, true, 1e9},
    [SWEEP_PROCESSORS] = {"m", false, true, 1e9},
    [SWEEP_PHASE_LENGTH] = {"e", true, false, (double)NSEC_PER_YEAR},
    [SWEEP_PERIOD] = {"p", true, false, (double)NSEC_PER_YEAR},
    [SWEEP_PERIOD_SHARE] = {"p/e", false, false, INFINITY},
    [SWEEP_SEED] = {"seed", false, true, 0x1p53},
};

static int quantity_parse(const char *name, size_t length, enum sweep_quantity *quantity)
{
    for (size_t i = 0; i < ARRAY_COUNT(quantities); i++) {
        if (strlen(quantities[i].name) != length || strncmp(quantities[i].name, name, length))
            continue;
        *quantity = (enum sweep_quantity)i;
        return 0;
    }
    return -EINVAL;
}

static int value_parse(const char *text, enum sweep_quantity quantity, double *value)
{
    int64_t duration_ns;

    if (quantities[quantity].duration) {
        const int error = duration_parse(text, &duration_ns);

        if (!error)
            *value = (double)duration_ns;
        return error ? error : duration_ns > 0 ? 0 : -ERANGE;
    }
    const char *end = decimal_read(text, value);
    if (!end || *end)
        return -EINVAL;
    if (*value == 0 && quantity != SWEEP_SEED)
        return -ERANGE;
    return quantities[quantity].whole && *value != floor(*value) ? -EINVAL : 0;
}

static int axis_add(struct sweep_axis *axis, double value)
{
    if (axis->count == SWEEP_VALUES_MAX || value > quantities[axis->quantity].most)
        return -ERANGE;
    axis->values[axis->count++] = value;
    return 0;
}

static int axis_add_range(struct sweep_axis *axis, double from, double to, double step,
                          bool geometric)
{
    const double end = to * (1 + RANGE_TOLERANCE);
    int error = to < from || (geometric && step <= 1) ? -ERANGE : 0;
    double value = from;

    for (int i = 1; !error && value <= end; i++) {
        error = axis_add(axis, value);
        value = geometric ? value * step : from + i * step;
    }
    return error;
}

/* Adds the values of "A", "A..B", "A..B+STEP" or "A..B*FACTOR". Modifies `text`. */
static int item_parse(char *text, struct sweep_axis *axis)
{
    char *to_text = strstr(text, "..");
    double from, to, step = 1;
    bool geometric = false;
    int error;

    if (!to_text) {
        error = value_parse(text, axis->quantity, &from);
        return error ? error : axis_add(axis, from);
    }
    *to_text = '\0';
    to_text += strlen("..");
    char *step_text = strpbrk(to_text, "+*");
    if (step_text) {
        geometric = *step_text == '*';
        *step_text++ = '\0';
        error = value_parse(step_text, geometric ? SWEEP_PERIOD_SHARE : axis->quantity, &step);
        if (error)
            return error;
    } else if (!quantities[axis->quantity].whole) {
        return -EINVAL;
    }
    error = value_parse(text, axis->quantity, &from);
    if (!error)
        error = value_parse(to_text, axis->quantity, &to);
    return error ? error : axis_add_range(axis, from, to, step, geometric);
}

static int items_parse(const char *text, struct sweep_axis *axis)
{
    int error = 0;

    while (!error) {
        char item[ITEM_TEXT_SIZE];
        const size_t length = strcspn(text, ",");

        if (length >= sizeof(item))
            return -EINVAL;
        memcpy(item, text, length);
        item[length] = '\0';
        error = item_parse(item, axis);
        if (!text[length])
            break;
        text += length + 1;
    }
    return error;
}

int sweep_parse(const char *text, struct sweep *sweep)
{
    const char *equals = strchr(text, '=');
    int error;

    if (!equals)
        return -EINVAL;
    if (sweep->axes_count == SWEEP_AXES_MAX)
        return -ERANGE;
    struct sweep_axis *axis = &sweep->axes[sweep->axes_count];
    axis->count = 0;
    error = quantity_parse(text, (size_t)(equals - text), &axis->quantity);
    for (int i = 0; !error && i < sweep->axes_count; i++)
        if (sweep->axes[i].quantity == axis->quantity)
            error = -EEXIST;
    if (!error)
        error = items_parse(equals + 1, axis);
    if (!error)
        sweep->axes_count++;
    return error;
}

int64_t sweep_count(const struct sweep *sweep)
{
    int64_t count = sweep->axes_count > 0;

    for (int i = 0; i < sweep->axes_count; i++)
        count *= sweep->axes[i].count;
    return count;
}

double sweep_value(const struct sweep *sweep, int axis, int64_t index)
{
    for (int i = sweep->axes_count - 1; i > axis; i--)
        index /= sweep->axes[i].count;
    return sweep->axes[axis].values[index % sweep->axes[axis].count];
}
