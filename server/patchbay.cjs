#!/usr/bin/env -S node --max-semi-space-size=16 --heap-growing-percent=70 --v8-pool-size=0
// The `patchbay` command. Written so that every version of Node can read it: one that is too old says so here, where
// TypeScript would only fail at its first type. The flags are those of cli.ts, which says why.

const { enableCompileCache } = require('node:module')
const path = require('node:path')

const needed = 26
if (Number.parseInt(process.versions.node, 10) >= needed) {
  // Before the first file with types: without a cache Node loads a compiler to strip them, which takes 90 ms.
  enableCompileCache(path.resolve(__dirname, '../node_modules/.cache/compiled'))
  void import('./cli.ts') // Node prints what it rejects with
} else {
  const bin = path.resolve(__dirname, '../node_modules/.bin')
  process.stderr.write(
    `Patchbay needs Node ${needed}, and this is ${process.version}; npm ci installs it: run npm ci in ${path.dirname(__dirname)}, then npx patchbay there, or put ${bin} first into PATH.\n`,
  )
  process.exitCode = 1
}
