#!/usr/bin/env -S node --max-semi-space-size=16 --heap-growing-percent=70 --v8-pool-size=0
// The flags keep the process small at no cost that shows, and leave the collector as many threads as there are cores to
// spare: docs/decisions/0018-garbage-collection-flags-and-wal-segments.md

import { enableCompileCache } from 'node:module'
import { resolve } from 'node:path'

// Compiled code is kept between runs: a command is otherwise busier compiling than doing. The folder is ours, not the
// shared temporary one, where someone else could leave code for us to run.
enableCompileCache(resolve(import.meta.dirname, '../node_modules/.cache/compiled'))
const { runCommand } = await import('./commands/run.ts')
await runCommand(process.argv.slice(2))
