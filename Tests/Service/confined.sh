#!/bin/sh
# The plugins' sandbox inside a container: an ordinary user, no capabilities, the seccomp filter RuntimeDefault and no
# user namespaces, applied by confine.c. Prints the state of each layer, and compares it with the page Run rooms on
# Kubernetes. `Browser` shows a page below the same filter, which takes away what the systemd unit does. Needs root to
# become another user; skipped (77) without root.
#
#   Tests/Service/confined.sh
set -eu
cd "$(dirname "$0")/../.."
. Samples/prepare.sh
[ "$(id -u)" = 0 ] || skip "needs root"
install_packages gcc libseccomp-dev
greenroom=${GREENROOM:-$PWD/.build/release/greenroom}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
mkdir -m 777 "$folder/work"
cc -O2 -static -Wall -Wextra -o "$folder/confine" Tests/Service/confine.c -lseccomp

cat > "$folder/work/session.yaml" << 'END'
session: { maximum: 320x180@15, duration: 2s, minimum-real: 50% }
camera: { plugin: ColorBars, isolation: process, sandbox: SANDBOX }
END
# A plugin that is not bundled.
(cd "$folder/work" && "$greenroom" new camera blink --language c && sh blink/build.sh) > "$folder/log" 2>&1
printf 'session: { maximum: 320x180@15, duration: 1s }\ncamera: { plugin: blink/blink.so }\n' > "$folder/work/other.yaml"
chmod -R a+rX "$folder/work"
# layers: the state of each layer of isolated plugins.
layers() {
    "$@" "$greenroom" plugin info ColorBars | sed -n '/sandbox of isolated/,/together/p' \
        | sed -n 's/^    \([a-zA-Z][a-zA-Z ]*[a-z]\)  *\(yes\|no\)  .*/\1: \2/p; s/^    \(together.*\)/\1/p'
}
# runs SANDBOX COMMAND...: whether a session with an isolated plugin runs.
runs() {
    sed "s/SANDBOX/$1/" "$folder/work/session.yaml" > "$folder/work/one.yaml"
    shift
    if "$@" "$greenroom" run "$folder/work/one.yaml" > "$folder/log" 2>&1; then echo "runs"; else
        echo "does not run: $(grep -v '^ ' "$folder/log" | tail -1)"
    fi
}
confined="$folder/confine 10001 $folder/work"
old="env REFUSE=landlock_create_ruleset $confined"
none="env REFUSE=landlock_create_ruleset\ seccomp $confined"
for place in "" "$confined" "$old" "$none"; do
    case $place in
        "") name="outside" ;;
        "$confined") name="RuntimeDefault" ;;
        "$old") name="a filter that refuses Landlock" ;;
        *) name="a filter that refuses Landlock and seccomp" ;;
    esac
    say "$name"
    # shellcheck disable=SC2086 # words; the last one has an escaped blank
    { eval "layers $place"; for mode in on require partial; do echo "sandbox $mode: $(eval "runs $mode $place")"; done
      eval "$place" '"$greenroom" run "$folder/work/other.yaml"' > "$folder/log" 2>&1 \
          && echo "not bundled: runs" || echo "not bundled: does not run"; } \
        | tee "$folder/$(echo "$name" | tr ' ' -)"
done
# The filter of a container takes nothing from the sandbox.
diff "$folder/outside" "$folder/RuntimeDefault" || fail "RuntimeDefault changes a layer."
grep -q '^sandbox require: runs' "$folder/RuntimeDefault" || fail "The whole sandbox does not work in a container."
grep -q '^Landlock: no' "$folder/a-filter-that-refuses-Landlock" || fail "Landlock is not refused: the test proves nothing."
grep -q '^sandbox require: does not run' "$folder/a-filter-that-refuses-Landlock" \
    || fail "A session that requires the sandbox runs without Landlock."
grep -q '^not bundled: does not run' "$folder/a-filter-that-refuses-Landlock-and-seccomp" \
    || fail "A plugin that nothing keeps to its grants runs."
python3 - "$folder" << 'END'
"""Compares what was printed with the table of the page."""
import pathlib
import re
import sys

page = pathlib.Path("docs/manual/kubernetes.md").read_text()
places = ("RuntimeDefault", "a-filter-that-refuses-Landlock", "a-filter-that-refuses-Landlock-and-seccomp")
printed = [
    dict(re.findall(r"^([^:\n]+): (.+)$", pathlib.Path(sys.argv[1], place).read_text(), re.MULTILINE)) for place in places]
names = {
    "dies with host, limits, no new privileges, capabilities":
        ["dies with host", "limits", "no new privileges", "capabilities"],
    "Landlock": ["Landlock"],
    "seccomp, with the host as a broker": ["seccomp"],
    "`sandbox: on`, a bundled plugin": ["sandbox on"],
    "`sandbox: require`": ["sandbox require"],
    "a plugin that is not bundled, `sandbox: on`": ["not bundled"],
}
table = dict(re.findall(r"^\| (.+?) \| (.+) \|$", page[page.index("| layer |"):], re.MULTILINE))
for row, keys in names.items():
    cells = table[row].split(" | ")
    for place, lines, cell in zip(places, printed, cells, strict=True):
        for key in keys:
            works = lines[key].startswith(("yes", "runs"))
            if works != cell.startswith(("yes", "runs")):
                sys.exit(f"{place}: the page says of {key}: {cell}. It was: {lines[key]}")
print("The page's table is what was printed.")
END

# Chromium's own sandbox needs user namespaces or a helper that runs as root, and has neither here.
say "Browser, RuntimeDefault"
install_packages chromium-headless-shell
mkdir "$folder/work/site"
echo '<body style="background: white">' > "$folder/work/site/page.html"
for isolation in "isolation: host" "isolation: process, sandbox: off"; do
    cat > "$folder/work/browser.yaml" << END
session: { maximum: 320x180@15, duration: 6s, minimum-real: 30% }
camera: { plugin: Browser, $isolation, settings: { page: $folder/work/site/page.html } }
END
    $confined "$greenroom" run "$folder/work/browser.yaml" > "$folder/log" 2>&1 \
        || { cat "$folder/log"; fail "Browser does not run with $isolation."; }
    ! grep -q 'no sandbox keeps' "$folder/log" || fail "Nothing confines Chromium with $isolation."
done
sed 's/sandbox: off/sandbox: on/' "$folder/work/browser.yaml" > "$folder/work/isolated.yaml"
$confined "$greenroom" run "$folder/work/isolated.yaml" > "$folder/log" 2>&1 && code=0 || code=$?
[ "$code" = 65 ] || { cat "$folder/log"; fail "Browser in a sandbox ends with code $code, not 65."; }
