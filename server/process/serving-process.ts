// One of the processes that PROCESSES asks for; the supervisor (supervise.ts) starts it.

import { enableCompileCache } from 'node:module'
import { resolve } from 'node:path'
import './resolve-imports.ts'

// Ctrl-C reaches every process of the terminal: the supervisor drains first, and then tells us to stop.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {})

enableCompileCache(resolve(import.meta.dirname, '../../node_modules/.cache/compiled'))
const { serveForSupervisor } = await import('./serve-for-supervisor.ts')
await serveForSupervisor()
