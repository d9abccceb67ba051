type Lock = { packages: Record<string, { engines?: unknown }> }

/**
 * The lock file without the `engines` of packages. They run on the Node that the lock file installs, but npm compares
 * with the Node it runs on itself: with an older one that printed 55 wrong warnings.
 */
export function trimLock(text: string): string {
  const lock: Lock = JSON.parse(text)
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (path.includes('node_modules/')) delete entry.engines
  }
  return `${JSON.stringify(lock, null, 2)}\n`
}
