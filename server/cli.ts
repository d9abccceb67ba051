#!/usr/bin/env -S node --max-semi-space-size=16 --heap-growing-percent=70 --v8-pool-size=0
// The flags reduce memory at no measurable cost, and give the garbage collector as many threads as there are other cores:
// docs/decisions/0018-garbage-collection-flags-and-wal-segments.md

import { enableCompileCache } from 'node:module'
import { resolve } from 'node:path'
import './process/resolve-imports.ts'

// Compiled code is cached between runs: compiling takes longer than most commands run. The folder is ours, not the shared
// temporary one, where another user could place code for us to run.
enableCompileCache(resolve(import.meta.dirname, '../node_modules/.cache/compiled'))
const { runCommand } = await import('./commands/run.ts')
process.exitCode = await runCommand(process.argv.slice(2), process)
