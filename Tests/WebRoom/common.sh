# What the scripts of this folder share; they source it from the top of the checkout.

. Samples/prepare.sh
greenroom=${GREENROOM:-.build/release/greenroom}

# A folder for as long as the script runs, and the programs to end with it.
work=$(mktemp -d)
programs=
end() {
    for program in $programs; do kill "$program" 2> /dev/null || true; done
    wait
    rm -rf "$work"
}
trap end EXIT

# wait_for TEXT FILE: until a program has said that.
wait_for() {
    tries=0
    until grep -qs "$1" "$2"; do
        tries=$((tries + 1))
        [ $tries -le 400 ] || fail "No \"$1\": $(cat "$2")"
        sleep 0.1
    done
}

# start_room LOG: runs room.yaml with its log in a file, and sets room and url.
start_room() {
    "$greenroom" run "$work/room.yaml" 2> "$1" &
    room=$!
    programs="$room $programs"
    wait_for "live: http" "$1"
    url=$(sed -n 's|.*live: \(http://[0-9.:]*\).*|\1|p' "$1")
}

# finish PROGRAM: as Control-C does.
finish() {
    kill -INT "$1"
    wait "$1" || [ $? = 130 ]
}

# python_with PACKAGE...: prints the path of a Python that has these packages.
python_with() {
    environment="$PWD/.build/$1"
    [ -x "$environment/bin/python" ] || python3 -m venv "$environment"
    "$environment/bin/python" -c "import $1" 2> /dev/null \
        || "$environment/bin/python" -m pip install -q "$@"
    echo "$environment/bin/python"
}

# live_room OUTPUTS: writes room.yaml, the sample's room with these outputs.
live_room() {
    sed 's|\.\./|/../|; s|path: /|path: '"$PWD/Samples"'/|' Samples/live-room.yaml > "$work/room.yaml"
    echo "outputs: [$1]" >> "$work/room.yaml"
}
