"""Checks the manifests of Packaging/kubernetes with the schemas of each Kubernetes from 1.29 to 1.37, and the rules
that no schema has. It needs kubectl, and kubernetes-validate and PyYAML of PyPI.

    python3 Tests/Service/kubernetes.py
"""

import pathlib
import subprocess
import sys

import kubernetes_validate
import yaml

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
    assert spec["securityContext"]["runAsNonRoot"] and spec["securityContext"]["runAsUser"] > 0
    assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert not any(spec.get(key) for key in ("hostNetwork", "hostPID", "hostIPC"))
    allowed = {"configMap", "secret", "emptyDir", "persistentVolumeClaim", "name"}
    assert all(set(volume) <= allowed for volume in spec["volumes"])
    for container in spec["containers"]:
        context = container["securityContext"]
        assert context["allowPrivilegeEscalation"] is False and context["readOnlyRootFilesystem"]
        assert context["capabilities"] == {"drop": ["ALL"]}
        assert not any("hostPort" in port for port in container.get("ports", []))
        assert container["resources"]["requests"]["cpu"] and container["resources"]["limits"]["memory"]


def check_session(overlay: list[dict], spec: dict) -> None:
    """The session file is valid, and the pod outlives its drain timeout."""
    (session,) = [r["data"]["session.yaml"] for r in overlay if r["kind"] == "ConfigMap"]
    timeout = yaml.safe_load(session)["session"].get("drain-timeout", "0s")
    hours = {"0s": 0, "1h": 3600}[timeout]
    assert spec["terminationGracePeriodSeconds"] >= hours + 30
    # The tokens are files of the pod.
    schema = subprocess.run([GREENROOM, "schema"], check=True, capture_output=True, text=True).stdout
    import jsonschema
    import json

    jsonschema.validate(yaml.safe_load(session), json.loads(schema))


for name in ("room", "recording"):
    overlay = resources(name)
    for version in VERSIONS:
        for resource in overlay:
            if resource["kind"] not in FOREIGN:
                kubernetes_validate.validate(resource, version, strict=True)
    template = pod(overlay)
    check_restricted(template["spec"])
    check_session(overlay, template["spec"])
    labels = template["metadata"]["labels"]
    for resource in overlay:
        selector = resource.get("spec", {}).get("selector") or resource.get("spec", {}).get("podSelector")
        if selector and resource["kind"] != "Job":
            selector = selector.get("matchLabels", selector)
            assert selector.items() <= labels.items(), f"{resource['kind']} selects {selector}"
    print(f"{name}: {len(overlay)} resources are valid for {VERSIONS[0]} to {VERSIONS[-1]}")

# A check that cannot fail proves nothing.
wrong = resources("room")
pod(wrong)["spec"]["containers"][0]["readOnlyRootFileSystem"] = True
try:
    for resource in wrong:
        if resource["kind"] not in FOREIGN:
            kubernetes_validate.validate(resource, VERSIONS[-1], strict=True)
except kubernetes_validate.ValidationError:
    print("and a misspelled key is found")
else:
    sys.exit("A misspelled key is not found.")
