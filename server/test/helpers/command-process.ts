import '../../resolve-imports.ts'
import { runCommand } from '../../commands/run.ts'
import type { Run } from './server-process.ts'

// The process that `startCommands` forks. It loads what a command does, and nothing of the tests.
process.setMaxListeners(0) // every command adds one for the exit of the process
process.on('message', async (args: string[]) => process.send?.(await runHere(args)))

async function runHere(args: string[]): Promise<Run> {
  const run = { code: 0, stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    process[name].write = (text) => {
      run[name] += text
      return true
    }
  }
  await runCommand(args).catch((error) => {
    process.exitCode = 1
    run.stderr += error.stack
  })
  run.code = Number(process.exitCode ?? 0)
  process.exitCode = 0
  return run
}
