import { createHash } from 'node:crypto'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'vite'

/** The app's targets: with an older one every light-dark() would be rewritten. */
const targets = ['chrome123', 'edge123', 'firefox128', 'safari17.5']

/**
 * Builds the chat for shops' pages: `loader.js`, one panel a language, named by its content, and `files.json` that names them
 * all. Each is one script without imports.
 */
export async function buildChat(into: string): Promise<void> {
  await mkdir(into, { recursive: true })
  // Only its syntax is older than that of the panel: where it finds what is missing, it must be able to say so.
  await writeFile(join(into, 'loader.js'), await bundle('loader.ts', 'es2019'))
  const panels: Record<string, string> = {}
  for (const file of await readdir(join(import.meta.dirname, 'panels'))) {
    const language = file.replace('.ts', '')
    const code = await bundle(`panels/${file}`, targets)
    const name = `panel-${language}-${createHash('sha256').update(code).digest('hex').slice(0, 10)}.js`
    await writeFile(join(into, name), code)
    panels[language] = name
  }
  await writeFile(join(into, 'files.json'), JSON.stringify({ panels }))
}

async function bundle(entry: string, target: string | string[]): Promise<string> {
  const built = await build({
    configFile: false,
    root: import.meta.dirname,
    logLevel: 'error',
    publicDir: false,
    build: {
      write: false,
      target,
      cssTarget: targets,
      modulePreload: false,
      reportCompressedSize: false,
      rolldownOptions: { input: join(import.meta.dirname, entry), output: { format: 'iife' } },
    },
  })
  const output = [built].flat().flatMap((each) => ('output' in each ? each.output : []))
  const [chunk, ...others] = output.filter((each) => each.type === 'chunk')
  if (!chunk || others.length > 0) throw new Error(`The chat's ${entry} is not one script.`)
  return chunk.code
}
