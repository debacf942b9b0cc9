"""The plugin on a clock that the test advances: pytest runs it without a host."""

import importlib.util

from greenroom.testing import TestHost

spec = importlib.util.spec_from_file_location("plugin", "my-plugin.py")
assert spec is not None and spec.loader is not None
plugin = importlib.util.module_from_spec(spec)
spec.loader.exec_module(plugin)


def test_it_runs() -> None:
    with TestHost(plugin.MyPlugin) as host:
        host.advance(0.5)
    assert host.gave_up is None and not host.errors
    assert host.frames
