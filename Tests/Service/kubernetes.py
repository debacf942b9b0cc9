"""Checks the manifests of Packaging/kubernetes with the schemas of each Kubernetes from 1.29 to 1.37, and the rules
that no schema has. It needs kubectl, and kubernetes-validate and PyYAML of PyPI.

    python3 Tests/Service/kubernetes.py [GREENROOM]
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys

import jsonschema
import kubernetes_validate
import yaml

if not shutil.which("kubectl"):
    print("skipped: needs kubectl", file=sys.stderr)
    sys.exit(77)
FOLDER = pathlib.Path(__file__).resolve().parents[2] / "Packaging/kubernetes"
VERSIONS = [f"1.{minor}" for minor in range(29, 38)]
# Resources of operators, which the schemas do not have.
FOREIGN = {"PodMonitor"}
GREENROOM = sys.argv[1] if len(sys.argv) > 1 else "greenroom"


def resources(overlay: str) -> list[dict]:
    text = subprocess.run(
        ["kubectl", "kustomize", FOLDER / overlay], check=True, capture_output=True, text=True
    ).stdout
    return list(yaml.safe_load_all(text))


def pod(overlay: list[dict]) -> dict:
    (found,) = [r["spec"]["template"] for r in overlay if r["kind"] in ("Deployment", "Job")]
    return found


def check_restricted(spec: dict) -> None:
    """The Pod Security Standard `restricted`, as far as a container without extras can break it."""
    context = spec["securityContext"]
    assert context["runAsNonRoot"] and context["runAsUser"] > 0 and context["runAsGroup"] > 0
    assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert not any(spec.get(key) for key in ("hostNetwork", "hostPID", "hostIPC"))
    allowed = {"configMap", "secret", "emptyDir", "persistentVolumeClaim", "name"}
    assert all(set(volume) <= allowed for volume in spec["volumes"])
    for container in spec["containers"]:
        context = container["securityContext"]
        assert context["allowPrivilegeEscalation"] is False and context["readOnlyRootFilesystem"]
        assert context["capabilities"] == {"drop": ["ALL"]}
        assert not any("hostPort" in port for port in container.get("ports", []))
        resources = container["resources"]
        assert resources["requests"]["cpu"] and resources["requests"]["memory"] and resources["limits"]["memory"]
        assert resources["limits"]["ephemeral-storage"], "recordings could fill the node's disk"
        if "livenessProbe" in container:
            assert "startupProbe" in container, "a slow start would count as a hang"


def check_session(overlay: list[dict], spec: dict) -> None:
    """The session file is valid, and the pod outlives its drain timeout."""
    (session,) = [r["data"]["session.yaml"] for r in overlay if r["kind"] == "ConfigMap"]
    timeout = yaml.safe_load(session)["session"].get("drain-timeout", "0s")
    hours = {"0s": 0, "1h": 3600}[timeout]
    assert spec["terminationGracePeriodSeconds"] >= hours + 30
    # The files of tokens are keys of the Secret.
    keys = {key for r in overlay if r["kind"] == "Secret" for key in r["data"]}
    files = re.findall(r"/run/secrets/greenroom/([a-z]+)", session)
    assert set(files) == keys, f"the session file reads the tokens {files}, and the Secret has {sorted(keys)}"
    schema = subprocess.run([GREENROOM, "schema"], check=True, capture_output=True, text=True).stdout
    jsonschema.validate(yaml.safe_load(session), json.loads(schema))


def references(value: object) -> list[tuple[str, str, str | None]]:
    """Each name of another resource in a resource: the kind, the name, and the key in it, if one is named."""
    found = []
    if isinstance(value, list):
        return [entry for part in value for entry in references(part)]
    if not isinstance(value, dict):
        return []
    for key, part in value.items():
        # The fields of pods, and `credentials` of the Prometheus operator.
        named = {"configMap": "ConfigMap", "configMapRef": "ConfigMap", "configMapKeyRef": "ConfigMap",
                 "secretRef": "Secret", "secretKeyRef": "Secret", "credentials": "Secret"}.get(key)
        if named and isinstance(part, dict) and "name" in part:
            found.append((named, part["name"], part.get("key")))
        elif key in ("secretName", "claimName", "serviceAccountName"):
            kinds = {"secretName": "Secret", "claimName": "PersistentVolumeClaim", "serviceAccountName": "ServiceAccount"}
            found.append((kinds[key], part, None))
        else:
            found += references(part)
    return found


def check_references(overlay: list[dict]) -> None:
    """Each name of another resource, with the suffixes of Kustomize, is a resource of the rendering."""
    made = {(r["kind"], r["metadata"]["name"]): r for r in overlay}
    assert len(made) == len(overlay), "two resources have one name"
    for resource in overlay:
        for kind, name, key in references(resource.get("spec", {})):
            where = f"{resource['kind']} {resource['metadata']['name']}"
            assert (kind, name) in made, f"{where}: there is no {kind} {name}"
            keys = made[kind, name].get("data", {})
            assert key is None or key in keys, f"{where}: {kind} {name} has no {key}"


def check_selectors(overlay: list[dict], template: dict) -> None:
    """A selector means the pod of this overlay, and not those of other rooms in the namespace."""
    labels = template["metadata"]["labels"]
    ports = {port["name"] for container in template["spec"]["containers"] for port in container.get("ports", [])}
    for resource in overlay:
        kind, spec = resource["kind"], resource.get("spec", {})
        selector = spec.get("selector") or spec.get("podSelector")
        if selector and kind != "Job":
            selector = selector.get("matchLabels", selector)
            assert selector.items() <= labels.items(), f"{kind} selects {selector}"
            assert "app.kubernetes.io/instance" in selector, f"{kind} selects the pods of other rooms, too"
        for endpoint in spec.get("podMetricsEndpoints", []):
            assert endpoint["port"] in ports, f"{kind}: no container has the port {endpoint['port']}"


def must_fail(check, *arguments: object, saying: str) -> None:
    """A check that cannot fail proves nothing."""
    try:
        check(*arguments)
    except AssertionError as error:
        assert saying in str(error), error
    else:
        sys.exit(f"Not found: {saying}")


for name in ("room", "recording"):
    overlay = resources(name)
    for version in VERSIONS:
        for resource in overlay:
            if resource["kind"] not in FOREIGN:
                kubernetes_validate.validate(resource, version, strict=True)
    template = pod(overlay)
    check_restricted(template["spec"])
    check_session(overlay, template["spec"])
    check_references(overlay)
    check_selectors(overlay, template)
    print(f"{name}: {len(overlay)} resources are valid for {VERSIONS[0]} to {VERSIONS[-1]}")

wrong = resources("room")
(monitor,) = [resource["spec"] for resource in wrong if resource["kind"] == "PodMonitor"]
monitor["selector"]["matchLabels"].pop("app.kubernetes.io/instance")
must_fail(check_selectors, wrong, pod(wrong), saying="PodMonitor selects the pods of other rooms")
credentials = monitor["podMetricsEndpoints"][0]["authorization"]["credentials"]
credentials["key"] = "metric"
must_fail(check_references, wrong, saying="has no metric")
credentials["name"] = "greenroom-tokens"
must_fail(check_references, wrong, saying="there is no Secret greenroom-tokens")
print("and a wrong name of a Secret, a wrong key and a wide selector are found")
pod(wrong)["spec"]["containers"][0]["readOnlyRootFileSystem"] = True
try:
    for resource in wrong:
        if resource["kind"] not in FOREIGN:
            kubernetes_validate.validate(resource, VERSIONS[-1], strict=True)
except kubernetes_validate.ValidationError:
    print("and a misspelled key is found")
else:
    sys.exit("A misspelled key is not found.")
