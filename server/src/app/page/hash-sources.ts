import { createHash } from 'node:crypto'
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Everything that a build is made of; the lock file names the versions of all packages. */
const patterns = [
  'web/{src,public}/**/*',
  'web/{index.html,build.ts,vite.config.ts,package.json}',
  'contract/**/*.ts',
  'package-lock.json',
]

/** An id of the sources: the same sources make the same build. */
export async function hashSources(root: string): Promise<string> {
  const files = await Array.fromAsync(glob(patterns, { cwd: root, withFileTypes: true, exclude: isIgnored }))
  const paths = files.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const hash = createHash('sha256')
  for (const path of paths.sort()) hash.update(`${path.slice(root.length)}\0`).update(await readFile(path))
  return hash.digest('hex').slice(0, 16)
}

function isIgnored({ name }: { name: string }): boolean {
  return name === 'node_modules' || name === '.DS_Store'
}
