import { readFileSync } from 'node:fs'

export type RunAs = { uid: number; gid: number }

/** PostgreSQL refuses to run as root; a root-started Patchbay runs it as `nobody`. Undefined: as our own user. */
export function runAs(): RunAs | undefined {
  if (process.getuid?.() !== 0) return undefined
  const line = readUsers()
    .split('\n')
    .find((entry) => entry.startsWith('nobody:'))
  const [, , uid, gid] = (line ?? 'nobody:x:65534:65534').split(':').map(Number)
  return { uid: uid ?? 65_534, gid: gid ?? 65_534 }
}

/** Without the file, as in a bare container, initdb fails to look up the user, and our error says what to do. */
function readUsers(): string {
  try {
    return readFileSync('/etc/passwd', 'utf8')
  } catch {
    return ''
  }
}
