#!/usr/bin/env python3
"""Simulates a fleet of rooms for weeks: arrivals, departures, drains for updates, and lost nodes.

    python3 Tests/Fleet/simulate.py [--rooms 1000] [--nodes 60] [--cores 10] [--weeks 4] [--seed 1]

The costs are the table of the manual's page Many rooms. Everything else is in ASSUMPTIONS. A simulated week takes a
few seconds, and the same seed gives the same numbers. It prints how many nodes a fleet needs, how long drains take and
which recordings are lost.
"""

from __future__ import annotations

import argparse
import heapq
import math
import pathlib
import random
import re
import statistics

HOUR, DAY, WEEK = 3600, 86400, 604800
PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/manual/many-rooms.md"

ASSUMPTIONS = {
    "calls at the busiest hour, of all rooms": 1.0,
    "calls at night, of the busiest hour": 0.08,
    "median length of a call, in minutes": 40,
    "90th percentile of the length, in minutes": 110,
    "guests of a call": "2 to 8, 4 in the middle",
    "viewers of a call": "0 to 24, 3 in the middle",
    "recorded calls": 0.4,
    "share of a node that rooms may use": 0.75,
    "drain timeout, in minutes": 60,
    "updates of the whole fleet in the week": 2,
    "nodes that drain at once during an update, of all": 0.05,
    "mean time between losses of a node, in days": 90,
}


class Costs:
    """The table: cores and MB of a room with nobody, and of each part."""

    def __init__(self, text: str) -> None:
        rows = re.findall(r"^\| ([a-z][^|]*?) +\| ([\d.]+) +\| ([\d.]+) +\|", text, re.MULTILINE)
        self.rows = {name: (float(cores), float(memory)) for name, cores, memory in rows}

    def of(self, guests: int, viewers: int, recorded: bool) -> tuple[float, float]:
        parts = {"a room": 1, "a guest": guests, "a viewer": guests + viewers}
        if recorded:
            # The viewers watch the stage, so that it is encoded for them, too.
            parts |= {"a guest's decoder": guests, "a stage": 1, "a recording": 1, "an encoder": 1}
        return tuple(sum(self.rows[name][i] * count for name, count in parts.items()) for i in (0, 1))


class Room:
    def __init__(self, number: int, start: float, costs: Costs, choice: random.Random) -> None:
        median, ninth = (ASSUMPTIONS[f"{key} in minutes"] for key in
                         ("median length of a call,", "90th percentile of the length,"))
        sigma = math.log(ninth / median) / 1.2816
        self.number, self.start = number, start
        self.end = start + 60 * choice.lognormvariate(math.log(median), sigma)
        self.guests = round(choice.triangular(2, 8, 4))
        self.viewers = round(choice.triangular(0, 24, 3))
        self.recorded = choice.random() < ASSUMPTIONS["recorded calls"]
        self.cores, self.memory = costs.of(self.guests, self.viewers, self.recorded)
        self.node: Node | None = None


class Node:
    def __init__(self, number: int, cores: float) -> None:
        self.number, self.limit = number, cores * ASSUMPTIONS["share of a node that rooms may use"]
        self.rooms: set[Room] = set()
        self.draining_since: float | None = None
        self.used = 0.0

    def take(self, room: Room) -> None:
        room.node = self
        self.rooms.add(room)
        self.used += room.cores

    def drop(self, room: Room) -> None:
        self.rooms.remove(room)
        self.used -= room.cores

    def clear(self) -> None:
        self.rooms.clear()
        self.used = 0.0


class Fleet:
    def __init__(self, nodes: int, cores: float, rooms: int, seed: int, costs: Costs) -> None:
        self.choice = random.Random(seed)
        self.costs, self.busiest = costs, rooms
        self.nodes = [Node(number, cores) for number in range(nodes)]
        self.events: list[tuple[float, int, str, object]] = []
        self.count = 0
        self.made = self.refused = self.cut = self.lost_calls = 0
        self.recordings = self.recordings_lost = 0
        self.recordings_cut = 0
        self.lost_seconds = 0.0
        self.drains: list[float] = []
        self.now = self.most_rooms = self.most_nodes = 0
        # The nodes that an update has not reached yet.
        self.waiting: list[Node] = []

    def at(self, time: float, what: str, about: object = None) -> None:
        self.count += 1
        heapq.heappush(self.events, (time, self.count, what, about))

    def load(self, time: float) -> float:
        """The part of the busiest hour: most at 10 and at 15, little at night and at weekends."""
        hour = time % DAY / HOUR
        day = max(math.exp(-((hour - 10) ** 2) / 6), 0.95 * math.exp(-((hour - 15) ** 2) / 8))
        return max(ASSUMPTIONS["calls at night, of the busiest hour"], day * (1 if time % WEEK < 5 * DAY else 0.3))

    def run(self) -> None:
        mean = 60 * ASSUMPTIONS["median length of a call, in minutes"] * 1.39
        rate = self.busiest / mean
        time = 0.0
        while time < WEEK:
            time += self.choice.expovariate(rate)
            if self.choice.random() < self.load(time):
                self.at(time, "arrives")
        for update in range(ASSUMPTIONS["updates of the whole fleet in the week"]):
            self.at(DAY * (1 + 2 * update) + 14 * HOUR, "update")
        for node in self.nodes:
            self.lose_later(node, 0)
        while self.events:
            time, _, what, about = heapq.heappop(self.events)
            if time > WEEK + DAY:
                break
            getattr(self, what)(time, about)

    def lose_later(self, node: Node, time: float) -> None:
        days = ASSUMPTIONS["mean time between losses of a node, in days"]
        self.at(time + self.choice.expovariate(1 / (days * DAY)), "lose", node)

    def arrives(self, time: float, _: object) -> None:
        room = Room(self.made, time, self.costs, self.choice)
        # The fullest node with space: the others stay empty for updates.
        fitting = [n for n in self.nodes if n.draining_since is None and n.used + room.cores <= n.limit]
        if not fitting:
            self.refused += 1
            return
        self.made += 1
        self.recordings += room.recorded
        max(fitting, key=lambda node: (node.used, -node.number)).take(room)
        self.now += 1
        self.at(room.end, "leaves", room)
        self.most_rooms = max(self.most_rooms, self.now)
        self.most_nodes = max(self.most_nodes, sum(bool(node.rooms) for node in self.nodes))

    def leaves(self, time: float, room: Room) -> None:
        if room.node and room in room.node.rooms:
            room.node.drop(room)
            self.now -= 1
            self.drained(time, room.node)

    def update(self, time: float, _: object) -> None:
        self.waiting = list(self.nodes)
        part = ASSUMPTIONS["nodes that drain at once during an update, of all"]
        for _ in range(max(1, int(len(self.nodes) * part))):
            self.begin_drain(time, self.waiting.pop())

    def begin_drain(self, time: float, node: Node) -> None:
        node.draining_since = time
        self.at(time + 60 * ASSUMPTIONS["drain timeout, in minutes"], "timeout", node)
        self.drained(time, node)

    def drained(self, time: float, node: Node) -> None:
        if node.draining_since is None or node.rooms:
            return
        self.drains.append(time - node.draining_since)
        node.draining_since = None
        if self.waiting:
            self.begin_drain(time, self.waiting.pop())

    def timeout(self, time: float, node: Node) -> None:
        if node.draining_since is None or time - node.draining_since < 60 * ASSUMPTIONS["drain timeout, in minutes"]:
            return
        # The sessions end in order: the calls are cut, and their recordings are whole up to then.
        self.cut += len(node.rooms)
        self.recordings_cut += sum(room.recorded for room in node.rooms)
        self.now -= len(node.rooms)
        node.clear()
        self.drained(time, node)

    def lose(self, time: float, node: Node) -> None:
        self.lost_calls += len(node.rooms)
        for room in node.rooms:
            if room.recorded:
                self.recordings_lost += 1
                self.lost_seconds += time - room.start
        self.now -= len(node.rooms)
        node.clear()
        self.drained(time, node)
        self.lose_later(node, time)


def percentile(values: list[float], part: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * part))] if values else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rooms", type=int, default=1000, help="calls at the busiest hour")
    parser.add_argument("--nodes", type=int, default=60)
    parser.add_argument("--cores", type=float, default=10)
    parser.add_argument("--weeks", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    costs = Costs(PAGE.read_text())
    weeks = [
        Fleet(options.nodes, options.cores, options.rooms, options.seed + week, costs) for week in range(options.weeks)
    ]
    for fleet in weeks:
        fleet.run()

    def total(name: str) -> int:
        return sum(getattr(fleet, name) for fleet in weeks)

    rooms = [Room(n, 0, costs, random.Random(n)) for n in range(2000)]
    mean = statistics.mean(room.cores for room in rooms)
    limit = options.cores * ASSUMPTIONS["share of a node that rooms may use"]
    drains = [drain for fleet in weeks for drain in fleet.drains]
    tried = total("made") + total("refused")
    print(f"a call costs {mean:.2f} cores on average, so {options.rooms} calls need "
          f"{math.ceil(options.rooms * mean / limit)} nodes of {options.cores:g} cores")
    print(f"calls in {options.weeks} weeks: {total('made')}, at most {max(f.most_rooms for f in weeks)} at once, on "
          f"{max(f.most_nodes for f in weeks)} of {options.nodes} nodes; {total('refused')} refused "
          f"({100 * total('refused') / max(1, tried):.2f} %)")
    print(f"drains: {len(drains)}, median {percentile(drains, 0.5) / 60:.0f} min, longest "
          f"{max(drains, default=0) / 60:.0f} min; {total('cut')} calls were cut at the timeout, and "
          f"{total('recordings_cut')} recordings are complete up to it")
    print(f"lost nodes ended {total('lost_calls')} calls and {total('recordings_lost')} of {total('recordings')} "
          f"recordings, {sum(f.lost_seconds for f in weeks) / 3600:.1f} h of them")


if __name__ == "__main__":
    main()
