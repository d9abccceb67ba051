import { childrenOf, type Processes } from '../measure.ts'

/**
 * Stops a server where it is, so that what it has put off takes nothing from another that is measured: Node first, which
 * then asks its database for nothing more, then the postmaster, which then starts no process more, then all of those.
 * `isDatabaseUsed`: the database runs on, for somebody else.
 */
export function pauseProcesses({ node, postmaster }: Processes, isDatabaseUsed = false): void {
  signal(node, 'SIGSTOP')
  if (postmaster === undefined || isDatabaseUsed) return
  signal(postmaster, 'SIGSTOP')
  for (const pid of childrenOf(postmaster)) signal(pid, 'SIGSTOP')
}

/**
 * The database first, so that Node finds it at work. Connections that were in use when the server was stopped have been silent
 * for too long: pools give them up and open others, and whoever measures must warm it up again.
 */
export function resumeProcesses({ node, postmaster }: Processes): void {
  if (postmaster !== undefined) {
    for (const pid of childrenOf(postmaster)) signal(pid, 'SIGCONT')
    signal(postmaster, 'SIGCONT')
  }
  signal(node, 'SIGCONT')
}

function signal(pid: number, name: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(pid, name)
  } catch {} // it has ended, which whoever waits for it is told
}
