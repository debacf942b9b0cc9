"""Makes an OCI archive of a root file system: python3 Packaging/oci.py ROOT.tar IMAGE.tar VERSION [VARIANT].

The image's tag is VERSION, or VERSION-VARIANT.
"""

import gzip
import hashlib
import io
import json
import os
import platform
import shutil
import sys
import tarfile
import tempfile
import time

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


def main(root: str, output: str, version: str, variant: str = "") -> None:
    tag = f"{version}-{variant}" if variant else version
    epoch = int(os.environ["SOURCE_DATE_EPOCH"])
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch))
    with tempfile.TemporaryFile() as layer, tarfile.open(output, "w", format=tarfile.USTAR_FORMAT) as archive:
        # A fixed time and no name: the same layer has the same bytes.
        with open(root, "rb") as file, gzip.GzipFile("", "wb", 6, layer, mtime=0) as packed:
            shutil.copyfileobj(file, packed, 1 << 20)

        def add(name: str, content: io.IOBase, size: int) -> None:
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime, entry.mode = size, epoch, 0o644
            content.seek(0)
            archive.addfile(entry, content)

        def blob(content: io.IOBase, kind: str) -> dict:
            content.seek(0)
            digest = hashlib.file_digest(content, "sha256").hexdigest()
            size = content.seek(0, io.SEEK_END)
            add(f"blobs/sha256/{digest}", content, size)
            return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": f"sha256:{digest}", "size": size}

        def text(value: dict) -> io.BytesIO:
            return io.BytesIO(json.dumps(value, sort_keys=True).encode())

        with open(root, "rb") as file:
            plain = hashlib.file_digest(file, "sha256").hexdigest()
        layers = [blob(layer, "layer.v1.tar+gzip")]
        config = blob(
            text(
                {
                    "created": created,
                    "architecture": ARCHITECTURES.get(platform.machine(), platform.machine()),
                    "os": "linux",
                    "config": {
                        "User": "10001:10001",
                        "Env": ["PATH=/usr/bin:/bin", "LANG=C.UTF-8"],
                        "Entrypoint": ["greenroom"],
                        "WorkingDir": "/recordings",
                        "StopSignal": "SIGTERM",
                        "Labels": {
                            "org.opencontainers.image.title": "greenroom",
                            "org.opencontainers.image.version": version,
                            "org.opencontainers.image.licenses": "Apache-2.0 WITH Swift-exception",
                        },
                    },
                    "rootfs": {"type": "layers", "diff_ids": [f"sha256:{plain}"]},
                    "history": [{"created": created, "comment": "Debian packages"}],
                }
            ),
            "config.v1+json",
        )
        manifest = blob(
            text({"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
                  "config": config, "layers": layers}),
            "manifest.v1+json",
        )
        manifest["annotations"] = {"org.opencontainers.image.ref.name": f"localhost/greenroom:{tag}"}
        for name, value in [
            ("index.json", {"schemaVersion": 2, "manifests": [manifest]}),
            ("oci-layout", {"imageLayoutVersion": "1.0.0"}),
        ]:
            content = text(value)
            add(name, content, len(content.getbuffer()))


if __name__ == "__main__":
    main(*sys.argv[1:])
