#!/usr/bin/env bash
# Installs what the tests run for real of JavaScript, pinned by package-lock.json: the tools into .tools/javascript (or the
# folder given), Stryker beside them into stryker. Without Node they are left out and the tests say so; in CI that is an error.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tools=${1:-$here/../../../.tools/javascript}

if ! command -v npm >/dev/null || ! command -v node >/dev/null; then
    echo "tools for JavaScript: Node.js 20 or newer with npm is not on PATH; their tests are skipped" >&2
    [[ -z ${CI:-} ]]
    exit
fi

bring() {
    local from=$1 target=$2
    if cmp -s "$from/package-lock.json" "$target/.installed"; then
        return
    fi
    echo "installing ${from##*/} into $target ..."
    mkdir -p "$target"
    rm -f "$target/.installed"
    cp "$from/package.json" "$from/package-lock.json" "$target/"
    # Not `npm ci`: it refuses a lock file that lacks the builds for other platforms. The versions and hashes that the
    # lock file does hold are kept to here as well.
    (cd "$target" && npm install --no-audit --no-fund --loglevel=error)
    cp "$from/package-lock.json" "$target/.installed"
}

bring "$here" "$tools"
bring "$(dirname "$here")/stryker" "$(dirname "$tools")/stryker"
