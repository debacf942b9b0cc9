#!/bin/sh
# The Debian package and its unit under a real systemd: a Debian of its own boots as a container, and what
# an operator does is done in it (operator.sh). Needs root and about 600 MB; skipped (77) without.
#
#   Tests/Service/systemd.sh             builds the package first
#   Tests/Service/systemd.sh --built     packs what `swift build -c release` has built
set -eu
cd "$(dirname "$0")/../.."
. Samples/prepare.sh
if [ "$(id -u)" != 0 ]; then
    skip "needs root"
fi
install_packages mmdebstrap systemd-container
rm -f .build/greenroom_*.deb
Packaging/debian.sh "$@"

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
trap 'exit 1' INT TERM
say "Making a Debian"
mmdebstrap --quiet --variant=minbase --include=systemd,systemd-sysv,dbus \
    "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$root"
cp .build/greenroom_*.deb "$root/root/greenroom.deb"
cp Tests/Service/operator.sh "$root/root/"
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
chroot "$root" env DEBIAN_FRONTEND=noninteractive sh -c '
    apt-get update -qq && apt-get install -y -qq --no-install-recommends /root/greenroom.deb'

cat > "$root/etc/systemd/system/operator.service" << 'END'
[Unit]
After=multi-user.target
[Service]
Type=oneshot
ExecStart=/bin/sh /root/operator.sh
StandardOutput=file:/root/transcript
StandardError=inherit
ExecStopPost=/bin/systemctl --no-block poweroff
[Install]
WantedBy=multi-user.target
END
ln -s ../operator.service "$root/etc/systemd/system/multi-user.target.wants/"

say "Booting it"
timeout --kill-after=5 300 systemd-nspawn --quiet --directory="$root" --boot --register=no --keep-unit \
    --system-call-filter="landlock_create_ruleset landlock_add_rule landlock_restrict_self" \
    --private-network --link-journal=no < /dev/null > "$root/root/console" 2>&1 || true
[ -e "$root/root/transcript" ] || { tail -20 "$root/root/console"; fail "It did not boot."; }
cat "$root/root/transcript"
tail -1 "$root/root/transcript" | grep -q '^all of it is true$' || fail "Something is not true."
