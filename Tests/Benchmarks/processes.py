"""The processes of a session, for what is measured."""

import glob


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
