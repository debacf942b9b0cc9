# What an operator does with a session as a service, and what must be true after each step. Runs as root
# in the container that systemd.sh boots, with the package installed.
set -u
failed=
unit=greenroom@lobby
state=/var/lib/private/greenroom/lobby

# is TEXT COMMAND...: says whether the command succeeds.
is() {
    text=$1
    shift
    if "$@" > /tmp/output 2>&1; then
        echo "true: $text"
    else
        echo "FALSE: $text"
        cat /tmp/output
        journalctl -u "$unit" --no-pager -n 30
        failed=yes
    fi
}
shows() { [ "$(systemctl show "$unit" -P "$1")" = "$2" ] || { systemctl show "$unit" -P "$1"; false; }; }
# The events of the journal. journalctl is asked until the journal has what was just written.
logged() {
    for _ in $(seq 100); do
        journalctl -u "$unit" -o json --no-pager > /tmp/journal
        grep -q "$1" /tmp/journal && return
        sleep 0.1
    done
    false
}
becomes() {
    for _ in $(seq 1200); do
        shows "$1" "$2" > /dev/null && return
        sleep 0.1
    done
    shows "$1" "$2"
}
says() { command=$1; shift; $command | grep -q "$@"; }

mkdir -p /etc/greenroom
cat > /etc/greenroom/lobby.yaml << 'END'
session: { maximum: 320x180@15 }
camera: { plugin: ColorBars, isolation: process }
microphone: { plugin: Tone }
outputs: [record: { folder: /var/lib/greenroom/lobby/show, overwrite: true }]
END

echo "== Start"
is "it starts" systemctl start "$unit"
is "and is active once it sends" shows ActiveState active
is "systemd waits for its word" shows Type notify
is "and has its watchdog" shows WatchdogUSec 30s
is "its user is not root" sh -c "[ \$(stat -c %u /proc/\$(systemctl show $unit -P MainPID)) != 0 ]"
is "root sees it" says "greenroom sessions" lobby
is "the journal has its fields" logged '"GREENROOM_SESSION":"lobby'
is "and its events" logged '"GREENROOM_EVENT":"started"'
# After that: a warning would be in the journal by now.
is "its plugin is kept to its grants" sh -c "! journalctl -u $unit --no-pager | grep -q 'keep it to its grants'"

echo "== Steer"
is "a command is carried out" greenroom control lobby "set camera.settings.pattern=grey"
is "and in the journal" logged 'grey'
sed -i 's/plugin: ColorBars,/plugin: ColorBars, settings: { pattern: bars },/' /etc/greenroom/lobby.yaml
is "its file is read again" systemctl reload "$unit"
is "and what differs is set" logged 'set to bars'

echo "== Hang"
mkdir -p /run/systemd/system/$unit.service.d
printf '[Service]\nWatchdogSec=3\nTimeoutStopSec=3\n' > /run/systemd/system/$unit.service.d/soon.conf
systemctl daemon-reload
systemctl restart "$unit"
process=$(systemctl show "$unit" -P MainPID)
is "it has a process" [ "$process" -gt 1 ]
[ "$process" -gt 1 ] && kill -STOP "$process"
is "one that hangs is started again" becomes NRestarts 1
is "and runs" becomes ActiveState active
rm -r /run/systemd/system/$unit.service.d
systemctl daemon-reload

echo "== A recording of each start, as the manual says"
mkdir -p /run/systemd/system/$unit.service.d
cat > /run/systemd/system/$unit.service.d/own.conf << 'END'
[Service]
ExecStart=
ExecStart=/bin/sh -c 'exec greenroom run /etc/greenroom/%i.yaml --set outputs[0].record=/var/lib/greenroom/%i/$$(date +%%F-%%H%%M%%S)'
END
systemctl daemon-reload
systemctl restart "$unit"
is "it runs" becomes ActiveState active
kill -KILL "$(systemctl show "$unit" -P MainPID)"
is "one that is killed is started again" becomes NRestarts 1
is "and runs" becomes ActiveState active
is "each start has its own" [ "$(find $state -path "$state/20*/camera.y4m" | wc -l)" = 2 ]
rm -r /run/systemd/system/$unit.service.d
systemctl daemon-reload
systemctl restart "$unit"

echo "== Upgrade"
before=$(systemctl show "$unit" -P MainPID)
is "the package is installed over itself" dpkg -i /root/greenroom.deb
is "the session runs on" [ "$(systemctl show "$unit" -P MainPID)" = "$before" ]
is "and is still reached" says "greenroom sessions" lobby

echo "== Stop"
is "it stops" systemctl stop "$unit"
is "that is no failure" shows ActiveState inactive
is "and its end is a good one" shows Result success
is "it has recorded" [ "$(stat -c %s $state/show/camera.y4m)" -gt 86400 ]
is "the report is whole" grep -q '"outcome"' $state/show/session.json
is "no plugin was lost on the way" sh -c "! journalctl -u $unit --no-pager | grep 'lost: '"
is "its files are its own" [ "$(stat -c %a $state/show/session.json)" = 600 ]

echo "== A wrong file"
echo 'camera: { plugin: NoSuchPlugin }' > /etc/greenroom/lobby.yaml
is "it does not start" sh -c "! systemctl start $unit"
is "and is not tried again" shows NRestarts 0
is "the journal says why" logged NoSuchPlugin

echo "== Remove"
is "the package goes" dpkg -r greenroom
is "with its programs" sh -c '! command -v greenroom'
is "the operator's session file stays" [ -e /etc/greenroom/lobby.yaml ]
is "and so does what was recorded" [ -e $state/show/camera.y4m ]

[ -n "$failed" ] || echo "all of it is true"
