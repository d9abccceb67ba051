/**
 * Waits for the work, or until we are told to end: then it returns with the exit code set, so that whoever called it ends
 * what it has started. Servers that are stopped would otherwise stay, since they get no signal but SIGCONT and SIGKILL.
 */
export async function orInterrupted(work: Promise<unknown>): Promise<void> {
  const interrupted = Promise.withResolvers<void>()
  const interrupt = () => {
    process.exitCode = interruptedCode
    interrupted.resolve()
  }
  process.on('SIGINT', interrupt)
  process.on('SIGTERM', interrupt)
  work.catch(() => {}) // thrown below, unless we were told to end
  await Promise.race([work, interrupted.promise])
}

const interruptedCode = 130

/** Told to end, the work still waits for servers that are gone. To be called when all that was started has ended. */
export function exitIfInterrupted(): void {
  if (process.exitCode === interruptedCode) process.exit()
}
