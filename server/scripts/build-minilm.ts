import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/**
 * Compiles the code of the built-in model: `npm run build:minilm`, after a change of it. The result is kept in the tree with the
 * hashes of what it was made of, so that nobody else needs the compiler.
 */
export const folder = resolve(import.meta.dirname, '../src/answers/knowledge/search/minilm')
export const compiled = join(folder, 'minilm.wasm')
/** In the format of `sha256sum`. */
export const hashes = join(folder, 'minilm.sha256')

/** Debian 12 and 13 have it as the packages clang-19 and lld-19. Another version makes other code of the same source. */
const version = '19.1.7'

const flags = [
  '--target=wasm32',
  '-O3',
  '-nostdlib',
  ...['-Wall', '-Wextra', '-Werror'],
  // Four numbers at once, and a multiplication with an addition in one instruction.
  ...['-msimd128', '-mrelaxed-simd'],
  // Threads share the memory that whoever starts the code gives to it, and each has a stack of its own in it.
  ...['-matomics', '-mbulk-memory'],
  '-Wl,--no-entry,--import-memory,--shared-memory,--max-memory=268435456,--export=__stack_pointer',
  '-Wl,--strip-all',
]

/** The compiler of that version; undefined: it is not installed. */
export function findCompiler(): string | undefined {
  return ['clang-19', 'clang'].find((name) => {
    try {
      return execFileSync(name, ['--version'], { encoding: 'utf8' }).includes(`clang version ${version}`)
    } catch {
      return false
    }
  })
}

export function compile(compiler: string, to: string): void {
  execFileSync(compiler, [...flags, '-o', to, 'minilm.c'], { cwd: folder, stdio: 'inherit' })
}

/** The hashes as they should be noted: of the sources, of how they are compiled, and of the result. */
export function describeBuild(): string {
  const hashOf = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')
  const files = ['lanes.h', 'linear.h', 'minilm.c', 'minilm.wasm']
  const lines = files.map((file) => `${hashOf(readFileSync(join(folder, file)))}  ${file}\n`)
  return `# clang ${version}, flags ${hashOf(flags.join(' '))}\n${lines.join('')}`
}

if (import.meta.main) {
  const compiler = findCompiler()
  if (compiler === undefined) throw new Error(`clang ${version} is needed: apt-get install clang-19 lld-19`)
  compile(compiler, compiled)
  writeFileSync(hashes, describeBuild())
}
