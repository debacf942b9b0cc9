"""Builds the extension. The header is the checkout's, or that of an installed Greenroom."""

import pathlib
import re
import subprocess

from setuptools import Extension, setup

here = pathlib.Path(__file__).resolve().parent
checkout = here.parent / "Sources"
headers = checkout / "GreenroomABI/include"


def version() -> str:
    """The version of Greenroom: that of the checkout, or of the installed header."""
    source = checkout / "GreenroomPluginInterface/GreenroomVersion.swift"
    if source.exists():
        found = re.search(r'"(\d+\.\d+\.\d+)"', source.read_text())
        if found:
            return found[1]
    return subprocess.run(
        ["pkg-config", "--modversion", "greenroom"], check=True, capture_output=True, text=True
    ).stdout.strip()


def include() -> list[str]:
    if headers.exists():
        return [str(headers)]
    flags = subprocess.run(
        ["pkg-config", "--cflags-only-I", "greenroom"], check=True, capture_output=True, text=True
    ).stdout
    return [flag.removeprefix("-I").strip('"') for flag in flags.split()]


setup(
    version=version(),
    ext_modules=[
        Extension(
            "greenroom._core",
            ["_core.c"],
            include_dirs=include(),
            libraries=["m"],
            extra_compile_args=["-O3", "-std=c11", "-Wall", "-Wextra", "-fvisibility=hidden"],
            py_limited_api=True,
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
