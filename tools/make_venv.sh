#!/usr/bin/env bash
# Make .venv and install this project with its development tools into it.
#
# Does nothing, and says nothing, when that was done before with the same
# pyproject.toml. Needs Python 3.11 or newer; PYTHON=/path/to/python chooses one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

stamp=.venv/.installed
# The folder counts too: a virtual environment does not survive being moved.
want="$(pwd) $(sha256sum <pyproject.toml)"
fresh() { [ -x .venv/bin/python ] && [ -r "$stamp" ] && [ "$(cat "$stamp")" = "$want" ]; }
fresh && exit 0

# Two makes at once must not install into one folder at once.
if command -v flock >/dev/null; then
    exec 9>.venv.lock
    flock 9
    fresh && exit 0
fi

find_python() {
    local candidate
    for candidate in ${PYTHON:+"$PYTHON"} python3.11 python3 python3.12 python3.13 python3.14; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            command -v "$candidate"
            return
        fi
    done
    echo "Vigent needs Python 3.11 or newer, and none was found (set PYTHON=…)." >&2
    return 1
}
python=$(find_python)

if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    # Debian ships Python without these two modules.
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        echo "Installing python3-venv …"
        apt-get -qq update
        DEBIAN_FRONTEND=noninteractive apt-get -qq install -y python3-venv >/dev/null
    else
        echo "This Python cannot make virtual environments: install python3-venv first." >&2
        exit 1
    fi
fi

echo "Installing Vigent and its tools into .venv (once, a minute or so) …"
rm -f "$stamp"
# A sound environment of this folder is brought up to date; any other is made anew.
if ! { .venv/bin/python -c 'import pip' && grep -qF "$(pwd)/.venv" .venv/bin/activate; } 2>/dev/null; then
    "$python" -m venv --clear .venv
fi
.venv/bin/python -m pip install -qq --disable-pip-version-check --editable '.[dev,server,otel]'
printf '%s\n' "$want" >"$stamp"
