type Versions = Record<string, string>
type Entry = {
  version?: string
  dependencies?: Versions
  optionalDependencies?: Versions
  peerDependencies?: Versions
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
  os?: string | string[]
  dev?: boolean
  devOptional?: boolean
  peer?: boolean
  optional?: boolean
}
/** The `packages` of a lock file, by the path of each. */
export type Entries = Record<string, Entry>

/** What a package says of itself to npm. */
export type Manifest = { name: string; version: string; dependencies: Versions; optionalDependencies: Versions }

/** A package that the product needs at run time: where it is in the checkout, and its entry in the lock file. */
export type Needed = { source: string; entry: Entry }

/** Every package that runs in production, by its path in the package. */
export function productionPackages(manifest: Manifest, locked: Entries): Map<string, Needed> {
  const always = reachable(manifest, locked, { optional: false })
  const packages = new Map<string, Needed>()
  for (const source of [...reachable(manifest, locked, { optional: true })].sort()) {
    const { dev: _dev, devOptional: _devOptional, peer: _peer, optional: _optional, ...entry } = locked[source] ?? {}
    const path = source.replace(/^server\//, '')
    if (packages.has(path)) throw new Error(`The lock file has two versions of ${path}, and the package one place.`)
    packages.set(path, { source, entry: always.has(source) ? entry : { ...entry, optional: true } })
  }
  return packages
}

function reachable(manifest: Manifest, locked: Entries, wanted: { optional: boolean }): Set<string> {
  const found = new Set<string>()
  const visit = (from: string, entry: Entry) => {
    for (const name of namesIn(entry, wanted)) {
      const path = placeOf(from, name, locked)
      if (found.has(path)) continue
      found.add(path)
      visit(path, locked[path] ?? {})
    }
  }
  visit('server', manifest)
  return found
}

function namesIn(entry: Entry, wanted: { optional: boolean }): string[] {
  const optional = entry.optionalDependencies ?? {}
  const peers = Object.keys(entry.peerDependencies ?? {})
  return [
    ...Object.keys(entry.dependencies ?? {}).filter((name) => !(name in optional)), // npm may repeat them here
    ...peers.filter((name) => !entry.peerDependenciesMeta?.[name]?.optional),
    ...(wanted.optional ? Object.keys(optional) : []),
  ]
}

/** Where Node would find it: beside the one that asks, or in a folder above. */
function placeOf(from: string, name: string, locked: Entries): string {
  const folders = from.split('/node_modules/')
  const nested = folders.map((_, at) => [...folders.slice(0, at + 1), name].join('/node_modules/'))
  const found = [`node_modules/${name}`, ...nested].findLast((path) => locked[path])
  if (found === undefined) throw new Error(`The lock file has no ${name}, which ${from} needs.`)
  return found
}
