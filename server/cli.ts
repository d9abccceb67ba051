#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { resolve } from 'node:path'

// Compiled code is kept between runs: a command is otherwise busier compiling than doing. The folder is ours, not the
// shared temporary one, where someone else could leave code for us to run.
enableCompileCache(resolve(import.meta.dirname, '../node_modules/.cache/compiled'))
const { runCommand } = await import('./commands/run.ts')
await runCommand(process.argv.slice(2))
