#!/bin/sh
# Removes from node_modules what is never read when the server runs. Called in /app while the image is built.
set -eu
cd node_modules
echo "before: $(du -sm . | cut -f1) MB"

# Headers, manual and changelog of Node, and its symbols for debuggers.
for folder in node-linux-*; do
  rm -rf "$folder/include" "$folder/share" "$folder/CHANGELOG.md"
  strip "$folder/bin/node"
done

# PostgreSQL: static libraries, build files, and the extensions that nothing here creates.
for native in @embedded-postgres/*/native; do
  rm -rf "$native"/lib/*.a "$native/lib/pkgconfig" "$native/lib/postgresql/pgxs" "$native/include"
  find "$native/lib/postgresql" -name '*.so' \
    ! -name plpgsql.so ! -name dict_snowball.so ! -name basic_archive.so ! -name libpqwalreceiver.so ! -name pgoutput.so \
    ! -name '*_and_*' ! -name 'euc2004_sjis2004.so' -delete
  find "$native/share/postgresql/extension" -type f ! -name 'plpgsql*' -delete
done

# Tests, texts and sources that packages bring beside what is imported.
find . -regextype posix-extended -type d \
  -regex '\.(/.*/node_modules)?/(@[^/]+/)?[^/@.]+/(test|tests|docs|benchmarks?|examples?)' -prune -exec rm -rf {} +
rm -rf zod/src ai/src @ai-sdk/*/src

# Types, source maps and texts of packages; licenses stay.
find . -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -iname 'readme*' -o -iname 'changelog*' \) -delete
echo "after: $(du -sm . | cut -f1) MB"
