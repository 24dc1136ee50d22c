# SPDX-License-Identifier: BSD-3-Clause
"""The order of runs: scenes (a program in a setting) in random order, rounds of a few scenes mixed, the rivals of a round back to back."""

import random
import time
from itertools import count

from proof.measure import Failed, disturbance

ACTIVE_MAX = 6       # scenes whose rounds are mixed
PER_PAIR = 4         # rivals that share one run of the kernel
VISITS_FACTOR = 3    # a scene that is always disturbed is given up after this factor times its rounds
ROUNDS_GROWTH = 2    # when all scenes have their rounds, the number of rounds is multiplied by this factor


class Scene:
    def __init__(self, program, setting, rivals):
        self.program, self.setting, self.rivals = program, setting, rivals
        self.rounds = self.visits = 0
        self.warm, self.broken, self.usual_s, self.outputs = False, False, None, {}

    def __str__(self):
        return f"{self.program.name} {self.setting}"

    @property
    def key(self):
        one = self.setting
        return self.program.name, one.threads, one.user, one.beside, one.lose

    def recall(self, runs):
        """Takes over the runs that were measured before."""
        kernel = [run for run in runs if run["rival"] == "kernel"]
        disturbed = {run["round"] for run in runs if run["discarded"]}
        self.rounds = min(len({run["round"] for run in runs if run["rival"] == name} - disturbed) for name in self.rivals)
        self.visits = len({run["round"] for run in runs})
        self.usual_s = min((run["seconds"] for run in kernel), default=None)
        for run in runs:
            self.outputs.setdefault(run["ran"], run["output"])

    def groups(self, draw):
        """Yields groups of the kernel and at most PER_PAIR rivals, in random order."""
        others = [name for name in self.rivals if name != "kernel"]
        draw.shuffle(others)
        for at in range(0, max(1, len(others)), PER_PAIR):
            group = ["kernel", *others[at:at + PER_PAIR]]
            draw.shuffle(group)
            yield group

    def round_s(self):
        return (self.usual_s or 1) * (len(self.rivals) + len(self.rivals) // PER_PAIR) * 1.3


class Series:
    """Measures scenes until the budget is used up, and keeps each run."""

    def __init__(self, bench, state, scenes, options, say, write):
        """`options`: seed, rounds of each scene, whether each is warmed up, and whether efficiency is asked for. `write`: called after each
        round, to bring the results up to date."""
        self.seed, rounds, self.warms_up, self.efficiency = options
        self.bench, self.state, self.scenes, self.say, self.write = bench, state, scenes, say, write
        self.draw, self.rounds = random.Random(self.seed), rounds
        self.pairs = count(1 + max((run["pair"] for run in state.runs), default=0))
        self.first = True
        self.draw.shuffle(scenes)
        for scene in scenes:
            scene.recall([run for run in state.runs if (run["program"], run["threads"], run["user"], run["beside"], run["lose"])
                          == scene.key])

    def open_scenes(self):
        open_ones = [scene for scene in self.scenes if not scene.broken and scene.rounds < self.rounds
                     and scene.visits < VISITS_FACTOR * self.rounds]
        # Scenes that have begun come first, so that a short budget gives complete cells.
        begun = [scene for scene in open_ones if scene.rounds]
        return (begun + [scene for scene in open_ones if not scene.rounds])[:ACTIVE_MAX]

    def next(self, left_s):
        """Returns a scene whose round fits into the remaining time, or None. The first one is chosen in any case."""
        if left_s <= 0:
            return None
        while any(not scene.broken for scene in self.scenes):
            chosen = self.open_scenes()
            if chosen:
                fitting = [scene for scene in chosen if self.first or scene.round_s() < left_s]
                self.first = False
                return self.draw.choice(fitting) if fitting else None
            self.rounds *= ROUNDS_GROWTH
        return None

    def run(self, budget_s):
        started = time.monotonic()
        while scene := self.next(budget_s - (time.monotonic() - started)):
            try:
                self.visit(scene)
            except Failed as failure:
                scene.broken = True
                self.say(f"failed: {scene}: {failure}")
            self.write()

    def one(self, scene, rival):
        """Measures a run, and compares its output with that of the first run with the same number of threads."""
        run = self.bench.run(scene.program, rival, scene.setting, scene.usual_s)
        threads = self.bench.rivals.launch(rival, scene.program, scene.setting).threads
        if scene.outputs.setdefault(threads, run["output"]) != run["output"]:
            raise Failed(f"its output differs under {rival}")
        return run | {"ran": threads}

    def warm_up(self, scene):
        """Runs the program once, so that its files are in memory and its usual time is known."""
        if self.warms_up:
            scene.usual_s = self.one(scene, "kernel")["seconds"]
        scene.warm = True
        if self.efficiency and "juggle" in scene.rivals:
            found = self.bench.efficiency(scene.program, scene.setting)
            self.state.add(self.about(scene, "juggle") | {"efficiency": found})

    def about(self, scene, rival):
        one = scene.setting
        return {"program": scene.program.name, "stamp": scene.program.stamp, "threads": one.threads, "user": one.user, "beside": one.beside, "lose": one.lose,
                "rival": rival}

    def visit(self, scene):
        """Measures a round of all rivals. If one fails, the failure is recorded, and the scene ends."""
        runs, scene.visits, rival = [], scene.visits + 1, "kernel"
        try:
            if not scene.warm:
                self.warm_up(scene)
            for group in scene.groups(self.draw):
                pair = next(self.pairs)
                for rival in group:
                    runs.append(self.about(scene, rival) | {"round": scene.visits, "pair": pair, "seed": self.seed} | self.one(scene, rival))
        except Failed as failure:
            self.state.add(self.about(scene, rival) | {"failure": str(failure)})
            raise Failed(f"{rival}: {failure}") from None
        self.judge(scene, runs)

    def judge(self, scene, runs):
        clocks = sorted(clock for run in runs for clock in run["clocks_ms"])
        for run in runs:
            self.state.add(run | {"discarded": disturbance(run, clocks[len(clocks) // 2])})
        scene.usual_s = min(run["seconds"] for run in runs)
        scene.rounds += not any(run["discarded"] for run in self.state.runs[-len(runs):])
        if scene.rounds == self.rounds:
            self.say(f"measured: {scene}, {scene.visits} rounds, {scene.visits - scene.rounds} of them disturbed")
