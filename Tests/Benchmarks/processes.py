"""The processes of a session, for what is measured."""

import collections
import glob
import os
import re
import time


def runners(host):
    """Those of the isolated plugins of a host."""
    found = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            words = open(path).read().split("\0")
        except OSError:
            continue
        if words[0].endswith("/greenroom-runner") and words[1] == str(host):
            found.append(int(path.split("/")[2]))
    return found


def sample(process):
    """The time, and what a process has used: processor seconds, context switches, seconds of the audio thread."""
    switches = audio = 0
    for task in os.listdir(f"/proc/{process}/task"):
        try:
            with open(f"/proc/{process}/task/{task}/status") as file:
                lines = dict(line.split(":", 1) for line in file if ":" in line)
            with open(f"/proc/{process}/task/{task}/schedstat") as file:
                ran = int(file.read().split()[0])
        except OSError:
            continue
        switches += int(lines["voluntary_ctxt_switches"]) + int(lines["nonvoluntary_ctxt_switches"])
        if lines["Name"].strip() == "audio":
            audio += ran
    with open(f"/proc/{process}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    cpu = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return time.monotonic(), cpu, switches, audio / 1e9


def thread_wakes(process):
    """The voluntary context switches of a process, by the names of its threads without their numbers."""
    wakes = collections.Counter()
    for task in os.listdir(f"/proc/{process}/task"):
        try:
            with open(f"/proc/{process}/task/{task}/status") as file:
                lines = dict(line.split(":", 1) for line in file if ":" in line)
        except OSError:
            continue
        wakes[re.sub("[0-9]+", "", lines["Name"].strip())] += int(lines["voluntary_ctxt_switches"])
    return wakes


def usage(process, seconds):
    """Processor seconds a minute, context switches a second, and the audio thread's part of a processor."""
    before = sample(process)
    time.sleep(seconds)
    after = sample(process)
    span, cpu, switches, audio = (late - early for early, late in zip(before, after))
    return cpu / span * 60, switches / span, audio / span


def tree(process):
    """A process and all that it has started."""
    found = [process]
    for task in os.listdir(f"/proc/{process}/task"):
        try:
            with open(f"/proc/{process}/task/{task}/children") as file:
                children = [int(word) for word in file.read().split()]
        except OSError:
            continue
        for child in children:
            found += tree(child)
    return found


def tree_seconds(processes):
    """The processor seconds of processes so far."""
    return sum(sample(process)[1] for process in processes if os.path.exists(f"/proc/{process}/task"))


def tree_memory(processes):
    """The memory of processes in MB: what several share counts once."""
    total = 0
    for process in processes:
        with open(f"/proc/{process}/smaps_rollup") as file:
            total += sum(int(line.split()[1]) for line in file if line.startswith("Pss:"))
    return total / 1024


def udp_ports(processes):
    """The UDP ports that processes have open."""
    inodes = set()
    for process in processes:
        for name in glob.glob(f"/proc/{process}/fd/*"):
            try:
                target = os.readlink(name)
            except OSError:
                continue
            if target.startswith("socket:["):
                inodes.add(target[8:-1])
    ports = 0
    for table in ("/proc/net/udp", "/proc/net/udp6"):
        with open(table) as file:
            ports += sum(line.split()[9] in inodes for line in list(file)[1:])
    return ports
