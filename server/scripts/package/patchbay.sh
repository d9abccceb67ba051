#!/bin/sh
# The `patchbay` command of the package. It runs on the Node that was installed with it, whichever runs npm: npm does not
# put programs of a package's packages into PATH. NODE_MAJOR and NODE_FLAGS are filled in when the package is made.
set -eu

file=$0
while [ -h "$file" ]; do # npm links to it
  target=$(readlink "$file")
  case $target in
    /*) file=$target ;;
    *) file=$(dirname "$file")/$target ;;
  esac
done
root=$(cd "$(dirname "$file")/.." && pwd -P)

# Inside the package, where its shrinkwrap puts it, or beside it, as other package managers do.
for node in "$root"/node_modules/node-*/bin/node "$root"/../node-*/bin/node; do
  if [ -x "$node" ]; then exec "$node" NODE_FLAGS "$root/server/cli.js" "$@"; fi
done

# None for this platform, or installed without optional dependencies.
found=$(node --version 2> /dev/null || true)
major=${found#v}
major=${major%%.*}
if [ "${major:-0}" -lt NODE_MAJOR ]; then
  echo "Patchbay needs Node NODE_MAJOR, and PATH has ${found:-none}; install Patchbay with its optional dependencies, which bring it, or put Node NODE_MAJOR first into PATH." >&2
  exit 1
fi
exec node NODE_FLAGS "$root/server/cli.js" "$@"
