"""Samples/fleet/rooms.py with a Kubernetes API in this process, and with a systemd that is a list of calls.

    python3 Tests/Fleet/test_rooms.py

It needs kr8s, kmock, PyYAML and kubernetes-validate of PyPI.
"""

import asyncio
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import kmock
import kubernetes_validate
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Samples/fleet"))
import rooms  # noqa: E402

SESSION = (ROOT / "Packaging/kubernetes/room/session.yaml").read_text()


class OnKubernetes(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.api = kmock.KubernetesEmulator()
        await self.api.__aenter__()
        for name in ("v1/configmaps", "v1/secrets", "v1/services", "apps/v1/deployments"):
            self.api.resources[name] = {"namespaced": True, "verbs": ["get", "list", "create", "delete"]}
        # kr8s asks with a slash at the end, which API servers accept.
        self.api["get", re.compile("/version/")] << {"major": "1", "minor": "33", "gitVersion": "v1.33.0"}
        self.server = kmock.Server(self.api)
        await self.server.__aenter__()
        self.folder = tempfile.TemporaryDirectory()
        config = pathlib.Path(self.folder.name) / "config"
        config.write_text(yaml.safe_dump({
            "apiVersion": "v1", "kind": "Config", "current-context": "test",
            "clusters": [{"name": "test", "cluster": {"server": str(self.api.url).rstrip("/")}}],
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}],
            "users": [{"name": "test", "user": {"token": "none"}}],
        }))
        self.config = str(config)

    async def asyncTearDown(self) -> None:
        await self.server.__aexit__(None, None, None)
        await self.api.__aexit__(None, None, None)
        self.folder.cleanup()

    async def run_rooms(self, body):
        # kr8s has its own loop: the server's runs meanwhile.
        return await asyncio.to_thread(lambda: body(rooms.Kubernetes(kubeconfig=self.config)))

    def stored(self, kind: str) -> list[dict]:
        return [dict(value.raw) for key, value in self.api.objects.items() if kind in str(key)]

    async def test_a_room_is_made_listed_and_ended(self) -> None:
        tokens = await self.run_rooms(lambda fleet: fleet.make("lobby", SESSION))
        self.assertEqual(set(tokens), set(rooms.ROLES))
        self.assertEqual(len(set(tokens.values())), 4)
        listed = await self.run_rooms(lambda fleet: fleet.list())
        self.assertEqual([room["name"] for room in listed], ["lobby"])
        self.assertFalse(listed[0]["ready"])
        with self.assertRaises(Exception):
            await self.run_rooms(lambda fleet: fleet.make("lobby", SESSION))
        await self.run_rooms(lambda fleet: fleet.end("lobby"))
        self.assertEqual(await self.run_rooms(lambda fleet: fleet.list()), [])
        with self.assertRaises(LookupError):
            await self.run_rooms(lambda fleet: fleet.end("lobby"))


class Manifests(unittest.TestCase):
    def test_the_resources_are_valid(self) -> None:
        for manifest in rooms.manifests("lobby", SESSION, rooms.new_tokens()):
            kubernetes_validate.validate(manifest, "1.37", strict=True)

    def test_a_room_has_the_security_rules_of_the_packaged_deployment(self) -> None:
        """The pod that a program makes and the pod of Packaging/kubernetes differ in no rule of security."""
        deployment = yaml.safe_load((ROOT / "Packaging/kubernetes/room/deployment.yaml").read_text())
        theirs = deployment["spec"]["template"]["spec"]
        ours = rooms.manifests("lobby", SESSION, {})[-1]["spec"]["template"]["spec"]
        names = {"greenroom-session": "greenroom-lobby", "greenroom-tokens": "greenroom-lobby", "greenroom": rooms.IMAGE}
        for volume in theirs["volumes"]:
            for kind, key in (("configMap", "name"), ("secret", "secretName")):
                if kind in volume:
                    volume[kind][key] = names[volume[kind][key]]
        (container,) = theirs["containers"]
        container["image"] = names[container["image"]]
        # The account of the manifests has no rights, and this pod does not get the token of its own.
        del theirs["serviceAccountName"]
        self.assertEqual(ours, theirs)

    def test_another_image(self) -> None:
        made = rooms.manifests("lobby", SESSION, {}, "registry.example/greenroom:2")
        self.assertEqual(made[-1]["spec"]["template"]["spec"]["containers"][0]["image"], "registry.example/greenroom:2")

    def test_a_room_name_is_valid_in_the_cluster(self) -> None:
        for name in ("a", "lobby-1", "x" * 40):
            self.assertEqual(rooms.valid(name), name)
        for name in ("", "Lobby", "-a", "a-", "a/b", "x" * 41, "../a"):
            with self.assertRaises(Exception, msg=name):
                rooms.valid(name)


class OnSystemd(unittest.TestCase):
    def test_a_room_is_a_transient_unit_without_a_secret_on_its_command_line(self) -> None:
        calls = []

        class Answer:
            stdout = json.dumps([
                {"unit": "greenroom-room-lobby.service", "load": "loaded", "active": "active", "sub": "running"}])

        def run(arguments, **options):
            calls.append(arguments)
            return Answer()

        with tempfile.TemporaryDirectory() as folder:
            fleet = rooms.Systemd(pathlib.Path(folder) / "rooms", run)
            tokens = fleet.make("lobby", SESSION)
            line = " ".join(calls[0])
            self.assertIn("--unit=greenroom-room-lobby.service", line)
            for role, token in tokens.items():
                self.assertNotIn(token, line)
                file = pathlib.Path(folder) / "rooms/lobby" / role
                self.assertEqual(file.read_text(), token)
                self.assertEqual(os.stat(file).st_mode & 0o777, 0o600)
            session = (pathlib.Path(folder) / "rooms/lobby/session.yaml").read_text()
            self.assertIn("/run/credentials/greenroom-room-lobby.service/guest", session)
            self.assertEqual(fleet.list(), [{"name": "lobby", "since": "", "ready": True}])
            fleet.end("lobby")
            self.assertEqual(calls[-1][:2], ["systemctl", "stop"])
            self.assertEqual(list((pathlib.Path(folder) / "rooms").iterdir()), [])


    def test_a_unit_that_does_not_start_leaves_nothing(self) -> None:
        def run(arguments, **options):
            raise subprocess.CalledProcessError(1, arguments, stderr="Failed to connect to bus: Host is down\n")

        with tempfile.TemporaryDirectory() as folder:
            fleet = rooms.Systemd(pathlib.Path(folder) / "rooms", run)
            with self.assertRaises(subprocess.CalledProcessError) as caught:
                fleet.make("lobby", SESSION)
            self.assertEqual(list((pathlib.Path(folder) / "rooms").iterdir()), [])
        self.assertEqual(
            rooms.explanation(caught.exception, "systemd"),
            "systemd-run ended with code 1: Failed to connect to bus: Host is down")


class WithoutAPlace(unittest.TestCase):
    """A machine without systemd and without a cluster: a line and code 1, no traceback."""

    def test_no_systemctl_and_no_cluster(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for place, text in (("systemd", "systemctl is not on this machine"), ("kubernetes", "the Kubernetes API failed")):
                answer = subprocess.run(
                    [sys.executable, ROOT / "Samples/fleet/rooms.py", "--on", place, "list"],
                    env={"PATH": folder, "HOME": folder}, capture_output=True, text=True)
                self.assertEqual(answer.returncode, 1)
                self.assertIn(f"rooms.py: {text}", answer.stderr)
                self.assertEqual(answer.stderr.count("\n"), 1, answer.stderr)


if __name__ == "__main__":
    unittest.main()
