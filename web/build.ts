import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { glob, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { constants, createBrotliCompress } from 'node:zlib'
import { build } from 'vite'
import { buildChat } from './chat/build.ts'

/**
 * Builds the app into a folder: `node web/build.ts --into FOLDER --id BUILD`. The server runs it as a process of its own,
 * because a build takes some 350 MB.
 */
const { into, id } = parseArgs({ options: { into: { type: 'string' }, id: { type: 'string' } } }).values
if (into === undefined || id === undefined) throw new Error('Usage: node web/build.ts --into FOLDER --id BUILD')

await build({
  root: import.meta.dirname,
  logLevel: 'error',
  build: { outDir: into, emptyOutDir: true },
  plugins: [
    {
      name: 'build-id',
      // The app compares it with the one that the server names, to see that there is a newer version.
      transformIndexHtml: () => [{ tag: 'meta', attrs: { name: 'build', content: id }, injectTo: 'head' as const }],
    },
  ],
})
await nameByContent(into)
await compress(join(into, 'assets'))
await buildChat(join(into, 'chat'))
await compress(join(into, 'chat'))

/** Files of `public/` get a hash in their name, like all others, so that a browser may keep them for ever. */
async function nameByContent(folder: string): Promise<void> {
  const page = join(folder, 'index.html')
  let html = await readFile(page, 'utf8')
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isFile() || entry.name === 'index.html') continue
    const extension = extname(entry.name)
    const hash = createHash('sha256')
      .update(await readFile(join(folder, entry.name)))
      .digest('base64url')
      .slice(0, 8)
    const name = `${entry.name.slice(0, -extension.length)}-${hash}${extension}`
    await rename(join(folder, entry.name), join(folder, 'assets', name))
    html = html.replaceAll(`"/${entry.name}"`, `"/assets/${name}"`)
  }
  await rm(page)
  await writeFile(page, html)
}

/** Once, as small as it gets; fonts are compressed already. */
async function compress(folder: string): Promise<void> {
  const files = await Array.fromAsync(glob('**/*.{js,css,svg}', { cwd: folder }))
  await Promise.all(
    files.map(async (name) => {
      const file = join(folder, name)
      const brotli = createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })
      await pipeline(createReadStream(file), brotli, createWriteStream(`${file}.br`))
    }),
  )
}
