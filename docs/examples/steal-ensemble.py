# SPDX-License-Identifier: BSD-3-Clause
# An ensemble in Python: each call finds the period of one pendulum in small steps. Run as
#     mpirun -n 4 python3 steal-ensemble.py [LEDGER]
# The file LEDGER keeps the durations of calls: the next run distributes the calls by them from the beginning.
import math
import sys

from juggle import Executor

MEMBERS = 200


def period_of(angle):
    """Integrates a quarter of the swing: the larger the angle, the more steps."""
    step, position, speed, time = 2e-4, angle, 0.0, 0.0
    while position > 0:
        speed -= step * math.sin(position)
        position += step * speed
        time += step
    return 4 * time


def main():
    angles = [0.999 * math.pi * (member + 1) / MEMBERS for member in range(MEMBERS)]
    ledger = sys.argv[1] if len(sys.argv) > 1 else None
    with Executor() as executor:
        periods = list(executor.map(period_of, angles, ledger=ledger))
        if executor:
            print(f"periods from {periods[0]:.3f} to {periods[-1]:.3f}")


if __name__ == "__main__":
    main()
