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
    return pkg_config("--modversion")


def pkg_config(option: str) -> str:
    """A value of an installed Greenroom."""
    try:
        done = subprocess.run(
            ["pkg-config", option, "greenroom"], check=True, capture_output=True, text=True
        )
    except (OSError, subprocess.CalledProcessError):
        raise SystemExit(
            "greenroom: pkg-config finds no Greenroom to build this package with. Install the wheel, "
            "greenroom-*.whl, or run pip install ./Python in a checkout of Greenroom."
        ) from None
    return done.stdout.strip()


def include() -> list[str]:
    if headers.exists():
        return [str(headers)]
    flags = pkg_config("--cflags-only-I")
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
