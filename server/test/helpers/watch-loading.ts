import { createHook } from 'node:async_hooks'
import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/*
 * Loaded into a server before everything else (`--import`): writes into LOADING_FILE, a line each, which files of the product
 * are loaded, and which of them set timers.
 */

const root = resolve(import.meta.dirname, '../../..')
const written = new Set<string>()

function note(what: 'loaded' | 'timer', file: string): void {
  const line = `${what} ${relative(root, file)}\n`
  if (written.has(line)) return
  written.add(line)
  appendFileSync(process.env.LOADING_FILE ?? '', line)
}

registerHooks({
  load: (url, context, next) => {
    if (url.startsWith('file:') && !url.includes('/node_modules/')) note('loaded', fileURLToPath(url))
    return next(url, context)
  },
})

/** Every file of the product that had a part in setting a timer; connections to the database have theirs for every query. */
createHook({
  init: (_id, type) => {
    if (type !== 'Timeout') return
    const { stack = '' } = new Error()
    if (stack.includes('/node_modules/pg')) return
    const files = stack.matchAll(/file:\/\/([^\s)]+\/server\/(?:src|process|commands)\/[^\s):]+)/g)
    for (const [, file = ''] of files) note('timer', file)
  },
}).enable()
Error.stackTraceLimit = 50
