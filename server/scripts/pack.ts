import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { makePackage } from './package/make-package.ts'

/** Packs the product into one file that npm installs without this checkout: `npm run package [-- --out FOLDER]`. */
const { values } = parseArgs({ options: { out: { type: 'string', default: '.' } } })
await using stage = await mkdtempDisposable(join(tmpdir(), 'patchbay-package-'))
const out = resolve(values.out)
const { filename, size, entryCount } = await makePackage(stage.path, out)
process.stdout.write(`${join(out, filename)}: ${(size / 1e6).toFixed(1)} MB, ${entryCount} files\n`)
