import { execFileSync } from 'node:child_process'
import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** A headless shell first: it draws no windows, which takes a third of the processor time of a browser test. */
const names = [
  'chromium-headless-shell',
  'chrome-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
]
const elsewhere = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/**
 * The browser of the tests: CHROMIUM, or one that is installed. On Debian and Ubuntu it is installed where that needs no
 * password; elsewhere the tests fail with what to do, because a skipped test protects nothing.
 */
export function findChromium(): string {
  const found = process.env.CHROMIUM || findInstalled()
  if (found) return found
  if (install(packages)) return findInstalled() ?? fail()
  return fail()
}

/** Not a headless shell, which keeps no page in memory to which somebody goes back. It is installed in the same way. */
export function findWholeChromium(): string {
  const find = () => candidates().find((file) => !file.endsWith('-shell') && isExecutable(file))
  return find() ?? (install(['chromium']) ? find() : undefined) ?? fail()
}

function findInstalled(): string | undefined {
  return candidates().find(isExecutable)
}

function candidates(): string[] {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return [...folders.flatMap((folder) => names.map((name) => join(folder, name))), ...elsewhere]
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** True: a package is installed now. */
function install(packages: readonly string[]): boolean {
  if (
    !existsSync('/etc/debian_version') ||
    !readFileSync('/etc/os-release', 'utf8').match(/^ID(_LIKE)?=.*(debian|ubuntu)/m)
  )
    return false
  const prefix = process.getuid?.() === 0 ? [] : ['sudo', '-n']
  const run = (...command: string[]) => {
    const [program = '', ...rest] = [...prefix, ...command]
    execFileSync(program, rest, {
      stdio: 'ignore',
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    })
  }
  process.stderr.write('The browser tests need Chromium; installing it with apt-get …\n')
  const isInstalled = (name: string) =>
    tried(() => run('apt-get', 'install', '-y', '-qq', '--no-install-recommends', name))
  if (packages.some(isInstalled)) return true
  return tried(() => run('apt-get', 'update', '-qq')) && packages.some(isInstalled) // the list was missing or old
}

/** Ubuntu has no headless shell. */
const packages = ['chromium-headless-shell', 'chromium']

function tried(act: () => void): boolean {
  try {
    act()
    return true
  } catch {
    return false
  }
}

function fail(): never {
  throw new Error(
    'The browser tests need Chromium or Chrome: install it (Debian and Ubuntu: apt-get install chromium; macOS: brew install --cask chromium), or set CHROMIUM to its path.',
  )
}
