"""Writes a bill of materials (CycloneDX 1.5) of a release.

python3 Packaging/sbom.py VERSION DEPENDENCIES.json WHEEL STATUS... > sbom.json

DEPENDENCIES.json is the output of `swift package show-dependencies --format json`. STATUS is the dpkg status of
an image. Libraries that the wheel bundles are looked up in this machine's dpkg.
"""

import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import uuid
import zipfile


def swift_packages(tree: dict) -> dict:
    """The packages below a package, by name."""
    found = {}
    for package in tree.get("dependencies", []):
        found[package["identity"]] = {
            "type": "library",
            "name": package["identity"],
            "version": package["version"],
            "purl": f"pkg:swift/{re.sub(r'^https?://|[.]git$', '', package['url'])}@{package['version']}",
        }
        found |= swift_packages(package)
    return found


def runtime() -> dict:
    """Swift's runtime, which all packages contain."""
    text = subprocess.run(["swift", "--version"], check=True, capture_output=True, text=True).stdout
    version = re.search(r"Swift version (\S+)", text)
    return {"type": "library", "name": "swift-runtime", "version": version[1] if version else "unknown"}


def debian(name: str, version: str, architecture: str, source: str) -> dict:
    return {
        "type": "library",
        "name": name,
        "version": version,
        "purl": f"pkg:deb/debian/{name}@{version.replace('+', '%2B').replace('~', '%7E')}?arch={architecture}",
        "properties": [{"name": "greenroom:in", "value": source}],
    }


def in_image(status: pathlib.Path) -> list[dict]:
    packages = []
    for entry in status.read_text().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in entry.splitlines() if re.match(r"[A-Z][\w-]*: ", line))
        if fields.get("Status") == "install ok installed" and not fields["Package"].startswith("greenroom"):
            packages.append(
                debian(fields["Package"], fields["Version"], fields["Architecture"], f"image {status.stem}"))
    return packages


def in_wheel(wheel: str) -> list[dict]:
    """The libraries that auditwheel bundled: libyuv-ad2b96fa.so.0 is libyuv.so.0."""
    packages = {}
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if re.match(r"greenroom\.libs/lib", name)]
    for name in names:
        plain = re.sub(r"-[0-9a-f]{8}", "", pathlib.PurePath(name).name, count=1)
        answer = subprocess.run(["dpkg", "-S", f"*/{plain}"], check=True, capture_output=True, text=True).stdout
        package = answer.split(": ")[0].split(",")[0].split(":")[0]
        query = ["dpkg-query", "-W", "-f", "${Version} ${Architecture}", package]
        version, architecture = subprocess.run(query, check=True, capture_output=True, text=True).stdout.split()
        packages[package] = debian(package, version, architecture, "wheel")
    return list(packages.values())


def main(version: str, dependencies: str, wheel: str, *statuses: str) -> None:
    tree = json.loads(pathlib.Path(dependencies).read_text())
    components = [runtime(), *swift_packages(tree).values(), *in_wheel(wheel)]
    for status in statuses:
        components += in_image(pathlib.Path(status))
    # One component for a package, with each place where it is.
    merged: dict = collections.OrderedDict()
    for component in components:
        known = merged.setdefault((component["name"], component["version"]), component)
        if known is not component:
            known["properties"] += component["properties"]
    listed = sorted(merged.values(), key=lambda component: (component["name"], component["version"]))
    for component in listed:
        component["bom-ref"] = f"{component['name']}@{component['version']}"
    epoch = int(os.environ["SOURCE_DATE_EPOCH"])
    print(json.dumps({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(listed, sort_keys=True))}",
        "version": 1,
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch)),
            "component": {"type": "application", "name": "greenroom", "version": version,
                          "bom-ref": f"greenroom@{version}"},
        },
        "components": listed,
    }, indent=1, sort_keys=True))


if __name__ == "__main__":
    main(*sys.argv[1:])
