# SPDX-License-Identifier: BSD-3-Clause
"""Files of tasks for table 3 of the paper on retention: tasks are sorted by their times and dealt out in rounds, in which
every n-th rank gets m tasks, and all others get one. steal-sim deals evenly, so a rank that gets no task in a row gets one
of a nanosecond."""

import math
import os

LONGEST, MEAN_NS = 5.87, 541e6  # of the mean; as steal-sim's workload hf
NOTHING_NS = 1


def durations(tasks):
    """Returns the quantiles of an exponential distribution that is cut off."""
    most = 1 - math.exp(-LONGEST)
    times = [-math.log(1 - most * (i + 0.5) / tasks) for i in range(tasks)]
    factor = MEAN_NS * tasks / sum(times)
    return [round(time * factor) for time in times]


def layers(times, every, many, ranks):
    """Yields rows with a task for each rank: the first row of a round has tasks for all, the others for every n-th rank."""
    left = iter(times)
    while True:
        for layer in range(many):
            row = [next(left, NOTHING_NS) if layer == 0 or rank % every == 0 else NOTHING_NS for rank in range(ranks)]
            if max(row) == NOTHING_NS:
                return
            yield row


def file_name(tasks, every, many, ranks):
    return f"pile-{tasks}-{every}-{many}-{ranks}"


def write(directory, tasks, every, many, ranks):
    path = os.path.join(directory, file_name(tasks, every, many, ranks))
    with open(path, "w", encoding="ascii") as file:
        for row in layers(durations(tasks), every, many, ranks):
            file.write("\n".join(map(str, row)) + "\n")
