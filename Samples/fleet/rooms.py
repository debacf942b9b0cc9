#!/usr/bin/env python3
"""Makes, lists and ends rooms: on Kubernetes, or on one machine as transient units of systemd.

    rooms.py make NAME --file session.yaml     a room with new tokens; prints its links
    rooms.py list                              each room with its age and readiness
    rooms.py end NAME                          drains the room: its guests finish their call

`--on systemd` uses `systemd-run` instead of the Kubernetes API. A room is a Deployment of one with the labels
of Packaging/kubernetes/room, so that both can be used together. It needs kr8s from PyPI and Greenroom's image.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import re
import secrets
import subprocess
import sys
import time

LABEL = "app.kubernetes.io/name=greenroom"
ROLES = ("viewer", "guest", "operator", "metrics")
IMAGE = "localhost/greenroom:0.1.0"
DRAIN_SECONDS = 3600


def new_tokens() -> dict[str, str]:
    return {role: secrets.token_hex(16) for role in ROLES}


def valid(name: str) -> str:
    if not re.fullmatch(r"[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?", name):
        raise argparse.ArgumentTypeError(
            f"{name!r} is not a room's name: write at most 40 of a-z, 0-9 and -, as in lobby-1")
    return name


def manifests(name: str, session: str, tokens: dict[str, str], image: str = IMAGE) -> list[dict]:
    """The resources of a room. Its session file reads the tokens from /run/secrets/greenroom."""
    health = {"path": "/health", "port": "page"}
    labels = {"app.kubernetes.io/name": "greenroom", "app.kubernetes.io/instance": name}
    meta = {"name": f"greenroom-{name}", "labels": labels}
    container = {
        "name": "greenroom",
        "image": image,
        "args": ["run", "/etc/greenroom/session.yaml"],
        "ports": [{"name": "page", "containerPort": 8080}],
        "resources": {
            "requests": {"cpu": "1", "memory": "288Mi", "ephemeral-storage": "64Mi"},
            "limits": {"memory": "1536Mi", "ephemeral-storage": "1Gi"},
        },
        "startupProbe": {"httpGet": health, "periodSeconds": 1, "failureThreshold": 60},
        "livenessProbe": {"httpGet": health, "periodSeconds": 10, "timeoutSeconds": 5, "failureThreshold": 3},
        "readinessProbe": {"httpGet": {"path": "/ready", "port": "page"}, "periodSeconds": 5},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
        "volumeMounts": [
            {"name": "session", "mountPath": "/etc/greenroom", "readOnly": True},
            {"name": "tokens", "mountPath": "/run/secrets/greenroom", "readOnly": True},
            {"name": "temporary", "mountPath": "/tmp"},
            {"name": "recordings", "mountPath": "/recordings"},
        ],
    }
    pod = {
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "terminationGracePeriodSeconds": DRAIN_SECONDS + 60,
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": 10001,
            "runAsGroup": 10001,
            "fsGroup": 10001,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "containers": [container],
        "volumes": [
            {"name": "session", "configMap": {"name": meta["name"], "optional": False}},
            {"name": "tokens", "secret": {"secretName": meta["name"], "defaultMode": 0o440, "optional": False}},
            {"name": "temporary", "emptyDir": {"sizeLimit": "256Mi"}},
            {"name": "recordings", "emptyDir": {}},
        ],
    }
    return [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": {"session.yaml": session}},
        {"apiVersion": "v1", "kind": "Secret", "metadata": meta, "stringData": tokens},
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": meta,
            # A full or draining room is not ready, and its guests still need its page.
            "spec": {
                "selector": labels,
                "publishNotReadyAddresses": True,
                "ports": [{"name": "page", "port": 80, "targetPort": "page"}],
            },
        },
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": meta,
            "spec": {
                "replicas": 1,
                "strategy": {"type": "Recreate"},
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": pod},
            },
        },
    ]


class Kubernetes:
    """Rooms as Deployments. kr8s reads the usual configuration of kubectl."""

    def __init__(self, namespace: str = "default", image: str = IMAGE, **options: object) -> None:
        import kr8s

        self.kr8s, self.image = kr8s, image
        self.api = kr8s.api(namespace=namespace, **options)

    def make(self, name: str, session: str) -> dict[str, str]:
        tokens = new_tokens()
        made = []
        try:
            for manifest in manifests(name, session, tokens, self.image):
                resource = self.kr8s.objects.object_from_spec(manifest, self.api)
                resource.create()
                made.append(resource)
        except Exception:
            # Half a room helps nobody.
            for resource in reversed(made):
                resource.delete()
            raise
        return tokens

    def list(self) -> list[dict]:
        rooms = []
        for deployment in self.api.get("deployments", label_selector=LABEL):
            raw = deployment.raw
            rooms.append({
                "name": raw["metadata"]["labels"].get("app.kubernetes.io/instance", raw["metadata"]["name"]),
                "since": raw["metadata"].get("creationTimestamp", ""),
                "ready": bool(raw.get("status", {}).get("readyReplicas")),
            })
        return sorted(rooms, key=lambda room: room["name"])

    def end(self, name: str) -> None:
        # The pod gets SIGTERM and drains; what it mounts is needed until it ends, and belongs to it.
        found = [
            resource
            for kind in ("deployments", "services", "secrets", "configmaps")
            for resource in self.api.get(kind, label_selector=f"{LABEL},app.kubernetes.io/instance={name}")
        ]
        if not found:
            raise LookupError(f"no room {name}. rooms.py list names the rooms.")
        for resource in found:
            resource.delete()


class Systemd:
    """Rooms as transient units: greenroom-room-NAME.service, with the tokens as credentials."""

    def __init__(self, folder: pathlib.Path = pathlib.Path("/run/greenroom-rooms"), run=subprocess.run) -> None:
        self.folder, self.run = folder, run

    def make(self, name: str, session: str) -> dict[str, str]:
        tokens = new_tokens()
        place = self.folder / name
        place.mkdir(parents=True, mode=0o700)
        file = place / "session.yaml"
        unit = f"greenroom-room-{name}.service"
        file.write_text(session.replace("/run/secrets/greenroom", f"/run/credentials/{unit}"))
        credentials = []
        for role, token in tokens.items():
            (place / role).write_text(token)
            (place / role).chmod(0o600)
            credentials.append(f"--property=LoadCredential={role}:{place / role}")
        command = [
            "systemd-run", f"--unit={unit}", "--collect", "--service-type=notify",
            "--property=DynamicUser=yes", f"--property=StateDirectory=greenroom/{name}",
            f"--property=WorkingDirectory=/var/lib/greenroom/{name}",
            f"--property=RuntimeDirectory=greenroom/{name}", "--property=KillMode=mixed",
            "--property=ProtectSystem=strict", "--property=NoNewPrivileges=yes",
            "--property=CapabilityBoundingSet=", "--property=Delegate=cpu",
            f"--property=LoadCredential=session.yaml:{file}", *credentials,
            "greenroom", "run", f"/run/credentials/{unit}/session.yaml",
        ]
        try:
            self.run(command, check=True, capture_output=True, text=True)
        except Exception:
            self.remove(name)
            raise
        return tokens

    def list(self) -> list[dict]:
        answer = self.run(
            ["systemctl", "list-units", "--all", "--output=json", "greenroom-room-*.service"],
            check=True, capture_output=True, text=True,
        ).stdout
        return [
            {
                "name": unit["unit"].removeprefix("greenroom-room-").removesuffix(".service"),
                "since": "",
                "ready": unit["active"] == "active",
            }
            for unit in json.loads(answer or "[]")
        ]

    def end(self, name: str) -> None:
        # The session asks systemd for the time of its drain timeout.
        self.run(
            ["systemctl", "stop", "--no-block", f"greenroom-room-{name}.service"],
            check=True, capture_output=True, text=True,
        )
        self.remove(name)

    def remove(self, name: str) -> None:
        for file in sorted((self.folder / name).glob("*")):
            file.unlink()
        (self.folder / name).rmdir()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--on", choices=["kubernetes", "systemd"], default="kubernetes")
    parser.add_argument("--namespace", default="default")
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("make")
    make.add_argument("name", type=valid)
    make.add_argument("--file", type=pathlib.Path, required=True)
    make.add_argument("--image", default=IMAGE, help="the image on Kubernetes (default: %(default)s)")
    make.add_argument("--url", default="https://ROOM", help="the address of the room's page, for the links")
    commands.add_parser("list")
    commands.add_parser("end").add_argument("name", type=valid)
    options = parser.parse_args()
    try:
        serve(options)
    except Exception as error:
        # Without a cluster, systemd, kr8s or the room, the reason is all that helps.
        sys.exit(f"rooms.py: {explanation(error, options.on)}")


def explanation(error: Exception, place: str) -> str:
    """What failed and what to do, in one line."""
    text = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, ModuleNotFoundError):
        return f"{text}. Install it: pip install {error.name}"
    if isinstance(error, LookupError):
        return str(error.args[0])
    if isinstance(error, FileNotFoundError) and str(error.filename).startswith("system"):
        return f"{error.filename} is not on this machine. --on systemd needs a machine that systemd has started."
    if isinstance(error, subprocess.CalledProcessError):
        return f"{error.cmd[0]} ended with code {error.returncode}: {(error.stderr or 'see above').strip()}"
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {error.strerror}"
    if place == "kubernetes":
        return f"the Kubernetes API failed: {text}. `kubectl get deployments` uses the same configuration."
    return text


def serve(options: argparse.Namespace) -> None:
    if options.on == "systemd":
        rooms = Systemd()
    else:
        rooms = Kubernetes(options.namespace, getattr(options, "image", IMAGE))
    if options.command == "make":
        tokens = rooms.make(options.name, options.file.read_text())
        for role in ROLES[:3]:
            print(f"{role}s: {options.url}/#{tokens[role]}")
        print(f"Prometheus: {tokens['metrics']}")
    elif options.command == "list":
        for room in rooms.list():
            print(f"{room['name']:<24} {'ready' if room['ready'] else 'not ready':<10} {room['since']}")
    else:
        rooms.end(options.name)
        print(f"{options.name} drains: it ends after its last guest, at {time.strftime('%H:%M')} + its drain timeout "
              "at the latest.")


if __name__ == "__main__":
    sys.exit(main())
