import { execFile } from 'node:child_process'
import { chmod, copyFile, cp, glob, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import { buildApp } from '../../src/app/page/build-app.ts'
import { bundlePackages, shrinkwrapOf, withBundle } from './bundle-packages.ts'
import { productionPackages } from './production-packages.ts'
import { packagedName, stripTypes } from './strip-types.ts'

const root = resolve(import.meta.dirname, '../../..')
/** What runs, and what is read while it runs; and the texts that its messages refer to. */
const shipped = [
  'server/{cli,main}.ts',
  'server/{commands,process,src}/**/*.{ts,wasm}',
  'server/migrations/*.sql',
  'contract/**/*.ts',
  'docs/*.{json,md}',
  '{CHANGELOG,README,SECURITY}.md',
  'LICENSE',
]

/** What npm says of the file that it packed. */
type Packed = { filename: string; size: number; entryCount: number; bundled: string[] }

/** Makes the package in the folder `stage`, which is empty, and packs it into a file in `out`. */
export async function makePackage(stage: string, out: string): Promise<Packed> {
  const product = await readProduct()
  const packages = productionPackages(product, (await readJson('package-lock.json')).packages)
  const manifest = withBundle(product, packages)
  await copySources(stage)
  await bundlePackages(root, stage, packages)
  const app = await buildApp()
  await cp(app.folder, join(stage, relative(root, app.folder)), { recursive: true })
  await writeLauncher(join(stage, product.bin.patchbay))
  await writeJson(join(stage, 'package.json'), manifest)
  await writeJson(join(stage, 'npm-shrinkwrap.json'), shrinkwrapOf(manifest, packages))
  await mkdir(out, { recursive: true })
  return pack(stage, out)
}

async function pack(stage: string, out: string): Promise<Packed> {
  const { stdout } = await promisify(execFile)('npm', ['pack', '--json', '--pack-destination', out], {
    cwd: stage,
    maxBuffer: 100e6, // it lists every file
  })
  const [packed] = Object.values<Packed>(JSON.parse(stdout)) // a list, and from npm 12 on an object by name
  if (packed === undefined) throw new Error(`npm packed nothing: ${stdout}`)
  return packed
}

async function copySources(stage: string): Promise<void> {
  const files = new Set(await Array.fromAsync(glob(shipped, { cwd: root })))
  for (const file of files) {
    const target = join(stage, packagedName(file))
    await mkdir(dirname(target), { recursive: true })
    if (!file.endsWith('.ts')) await copyFile(join(root, file), target)
    else await writeFile(target, stripTypes(file, await readFile(join(root, file), 'utf8'), files))
  }
}

/** What the package is, before its packages are divided. The root has Node itself among its optional dependencies. */
async function readProduct() {
  const [product, server] = [await readJson('package.json'), await readJson('server/package.json')]
  const { '@patchbay/contract': _inside, ...dependencies } = server.dependencies
  const { name, version, description, license, engines } = product
  return {
    name,
    version,
    private: true, // nothing is published: npm refuses to, as long as this stands here
    description,
    license,
    type: 'module',
    engines,
    os: ['darwin', 'linux'],
    bin: { patchbay: 'bin/patchbay' },
    dependencies,
    optionalDependencies: { ...product.optionalDependencies, ...server.optionalDependencies },
  }
}

/** Its flags are those of `cli.ts`, and its Node is the one of this checkout. */
async function writeLauncher(file: string): Promise<void> {
  const [, flags] = /^#!.* node (.*)$/m.exec(await readFile(join(root, 'server/cli.ts'), 'utf8')) ?? []
  const [major] = process.versions.node.split('.')
  if (flags === undefined || major === undefined) throw new Error('server/cli.ts names no flags for Node.')
  const template = await readFile(join(import.meta.dirname, 'patchbay.sh'), 'utf8')
  await mkdir(dirname(file))
  await writeFile(file, template.replaceAll('NODE_FLAGS', flags).replaceAll('NODE_MAJOR', major))
  await chmod(file, 0o755)
}

const readJson = async (file: string) => JSON.parse(await readFile(join(root, file), 'utf8'))
const writeJson = (file: string, content: object) => writeFile(file, `${JSON.stringify(content, null, 2)}\n`)
