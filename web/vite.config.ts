import { globSync, readFileSync } from 'node:fs'
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
            { name: 'common', test: isCommon },
            { name: 'common', test: isCommonIcon },
          ],
        },
      },
    },
  },
})

/**
 * What nearly every screen needs is one file. Left to itself the build makes one of each module that two screens share:
 * in the first view of the inbox these were forty files, and their frames and worse compression 5 KB.
 */
function isCommon(id: string): boolean {
  if (/-float\.tsx$|virtual-rows\.tsx$/.test(id)) return false
  return /\/src\/ui\/|\/src\/(keys|store|palette|queries|use-refresh|live|api)\.ts$/.test(id)
}

/** Those of the shell and the inbox, and what all icons need; the others are with the screens that show them. */
function isCommonIcon(id: string): boolean {
  if (!id.includes('/lucide-react/')) return false
  const icon = /\/icons\/([\w-]+)\./.exec(id)?.[1]
  return icon === undefined || firstIcons.has(icon)
}

const firstIcons = new Set(
  globSync('src/{shell,inbox,ui}/**/*.{ts,tsx}', { cwd: import.meta.dirname })
    .map((file) => readFileSync(join(import.meta.dirname, file), 'utf8'))
    .flatMap((text) => [...text.matchAll(/lucide-react\/icons\/([\w-]+)'/g)])
    .map(([, icon]) => icon),
)

/**
 * Names the layers in their order at the top of every style sheet. The first one that a browser reads decides it, and
 * which that is depends on how the build splits the app.
 */
function orderLayers(): Plugin {
  return {
    name: 'order-layers',
    enforce: 'pre',
    transform: (code, id) => (id.endsWith('.css') ? `@layer base, ui;\n${code}` : null),
  }
}
