type Lock = { packages: Record<string, { engines?: unknown }> }

/**
 * The lock file without what packages ask of the Node that runs npm. They run on the Node that the lock file itself brings,
 * and npm would compare with the other one: 55 lines of warnings for a newcomer whose Node is older, none of them true.
 */
export function trimLock(text: string): string {
  const lock: Lock = JSON.parse(text)
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (path.includes('node_modules/')) delete entry.engines
  }
  return `${JSON.stringify(lock, null, 2)}\n`
}
