#!/usr/bin/env bash
# Installs real agents that the tests here drive, pinned, into .agents/. Named agents may follow; without any, or
# with "all", all of them: some of these are not free software, so nobody gets them without asking.
# The lock files cover Linux on x64; elsewhere npm leaves out what it has no build for, and the tests say so.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
target=$here/../../.agents
wanted=" ${*:-all} "

if ! command -v npm >/dev/null || ! command -v node >/dev/null; then
    echo "real agents: Node.js 20 or newer with npm is needed on PATH" >&2
    exit 1
fi

# From a folder with package.json and its lock file into another, unless that holds the same already.
npm_install() {
    local from=$1 into=$2
    cmp -s "$from/package-lock.json" "$into/.installed" && return
    mkdir -p "$into"
    rm -f "$into/.installed"
    cp "$from/package.json" "$from/package-lock.json" "$into/"
    # Not `npm ci`: it refuses a lock file that lacks the builds for other platforms. The versions and hashes that
    # the lock file does hold are kept to here as well.
    (cd "$into" && npm install --no-audit --no-fund --loglevel=error)
    "after_$(basename "$into")" "$into/node_modules"
    cp "$from/package-lock.json" "$into/.installed"
}

after_free() {
    # Newer npm does not run the install script that puts the real program in its place.
    "$1/.bin/opencode" --version >/dev/null 2>&1 || node "$1/opencode-ai/postinstall.mjs"
    for agent in gemini opencode; do
        echo "real agents: $agent $("$1/.bin/$agent" --version)"
    done
}

after_more() {
    local script
    for script in node/installArchSpecificPackage.js @anthropic-ai/claude-code/install.cjs; do
        [[ ! -f $1/$script ]] || (cd "$1/$(dirname "$script")" && node "$(basename "$script")" >/dev/null 2>&1) || true
    done
    for agent in claude codex copilot pi qwen; do
        echo "real agents: $agent $(PATH="$1/.bin:$PATH" "$1/.bin/$agent" --version | head -n 1)"
    done
}

# A Python program with all it needs, by a list of exact versions, with an interpreter that is new enough.
pip_install() {
    local name=$1 python=$2 into=$target/$1
    cmp -s "$here/more/$name.txt" "$into/.installed" && return
    if command -v uv >/dev/null; then
        uv venv --quiet --clear --python "$python" "$into"
        uv pip install --quiet --python "$into/bin/python" --requirement "$here/more/$name.txt"
    elif command -v "python$python" >/dev/null && "python$python" -c '' 2>/dev/null; then
        "python$python" -m venv --clear "$into"
        "$into/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$here/more/$name.txt"
    else
        echo "real agents: $name needs Python $python; it is left out" >&2
        return
    fi
    echo "real agents: $name $(sed -n "s/^$3==//p" "$here/more/$name.txt")"
    cp "$here/more/$name.txt" "$into/.installed"
}

asked() {
    local name
    for name in all "$@"; do
        [[ $wanted == *" $name "* ]] && return
    done
    return 1
}

if asked gemini opencode; then npm_install "$here" "$target/free"; fi
if asked claude codex copilot pi qwen; then npm_install "$here/more" "$target/more"; fi
if asked vibe; then pip_install vibe 3.12 mistral-vibe; fi
if asked aider; then pip_install aider 3.11 aider-chat; fi
if asked codex && ! command -v bwrap >/dev/null; then
    echo "real agents: codex sandboxes its commands with bubblewrap where it finds it (apt-get install bubblewrap)"
fi
