import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

export default defineConfig({
  plugins: [react(), orderLayers()],
  build: {
    // Browsers of the last two years; with an older target every light-dark() would be rewritten.
    target: ['chrome123', 'edge123', 'firefox128', 'safari17.5'],
    assetsInlineLimit: 0, // a small file as a data: address would not pass the content security policy
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'packages', test: isFirstPackage },
            { name: 'common', test: isFirst },
          ],
        },
      },
    },
  },
})

/**
 * The packages of the first view are one file, which stays as it is when a new version of the app comes. As the build splits
 * them they were nine files, and 3 KB more.
 */
function isFirstPackage(id: string): boolean {
  return /\/node_modules\/(react|react-dom|scheduler|use-sync-external-store|@tanstack\/(?!.*virtual)[\w-]+)\//.test(id)
}

/**
 * What the first view of the inbox shares with other screens is one file. Left to itself the build makes one of each module
 * that two screens share: in that view these were forty files, and their frames and worse compression 5 KB. What only other
 * screens share is not among it: the forms and tables of the design would be 2 KB more.
 */
function isFirst(id: string): boolean {
  if (id.includes('/lucide-react/')) return first.has(id) || !id.includes('/icons/')
  return first.has(id) && /\/src\/(ui\/|words\/|[\w-]+\.ts$)/.test(id) && !id.endsWith('/virtual-rows.tsx')
}

/** The modules that are loaded at once, with the shell and the inbox. */
const first = new Set<string>()
for (const entry of ['main.tsx', 'shell/shell.tsx', 'inbox/inbox.tsx']) follow(join(import.meta.dirname, 'src', entry))

/** Adds a module and what it imports; what is loaded later is asked for by `import()`. */
function follow(file: string): void {
  if (first.has(file)) return
  first.add(file)
  const { resolve } = createRequire(file)
  for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(/^(?:import|export|}) (?!type ).*?'(.+)';?$/gm)) {
    if (/^\..*\.(tsx?|mjs)$|^lucide-react\/icons/.test(name)) follow(resolve(name))
  }
}

/**
 * Names the layers in their order at the top of every style sheet. The first one that a browser reads decides it, and
 * which that is depends on how the build splits the app.
 */
function orderLayers(): Plugin {
  return {
    name: 'order-layers',
    enforce: 'pre',
    transform: (code, id) => (id.endsWith('.css') ? `@layer tokens, base, ui, screens;\n${code}` : null),
  }
}
