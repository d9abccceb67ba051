import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, resolve } from 'node:path'
import { test } from 'node:test'

const root = resolve(import.meta.dirname, '../../..')
const exists = (path: string) => existsSync(join(root, path))

/** A name of a file or folder at the beginning of a line of a tree. */
const isName = (word: string) => /^[\w./-]*(\/|\.(ts|cjs|sql))$|^Dockerfile$/.test(word)

/** The paths of trees in blocks of a text, of which each line has names, then what they are for. */
function pathsOfTrees(text: string): string[] {
  const blocks = [...text.matchAll(/^```\w*\n([\s\S]+?)^```$/gm)].map(([, block = '']) => block.trimEnd().split('\n'))
  return blocks.filter(([first = '']) => first.startsWith('contract/')).flatMap(pathsOfTree)
}

function pathsOfTree(lines: string[]): string[] {
  const above: { indent: number; path: string }[] = []
  return lines.flatMap((line) => {
    const indent = line.search(/\S/)
    const words = line.trim().split(/,? +/)
    const firstOther = words.findIndex((word) => !isName(word))
    const names = firstOther === -1 ? words : words.slice(0, firstOther)
    while ((above.at(-1)?.indent ?? -1) >= indent) above.pop()
    const paths = names.map((name) => join(above.at(-1)?.path ?? '', name))
    const [first] = paths
    if (first?.endsWith('/')) above.push({ indent, path: first })
    return paths
  })
}

/** Files that a text names between backquotes or links to, from the root, from the server or from its sources. */
function missingOf(file: string, text: string): string[] {
  const links = [...text.matchAll(/\]\(([^)#\s]+)/g)].map(([, path = '']) => path)
  const missingLinks = links.filter((path) => !/^[a-z]+:/.test(path) && !exists(normalize(join(dirname(file), path))))
  const named = [...text.matchAll(/`((?:[\w.-]+\/)+[\w.-]+\.(?:ts|tsx|sql|cjs|md|json|css))`/g)].map(
    ([, path = '']) => path,
  )
  const missingNames = named.filter((path) => !['', 'server', 'server/src'].some((base) => exists(join(base, path))))
  return [...missingLinks, ...missingNames].filter((path) => !path.includes('NNNN'))
}

test('every file that README, ARCHITECTURE and CONTRIBUTING name is there', () => {
  for (const file of ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md']) {
    const text = readFileSync(join(root, file), 'utf8')
    assert.deepEqual(missingOf(file, text), [], file)
    assert.deepEqual(
      pathsOfTrees(text).filter((path) => !exists(path)),
      [],
      file,
    )
  }
})

test('the tree in ARCHITECTURE.md names every room', () => {
  const named = new Set(pathsOfTrees(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')))
  const folders = globSync(['server/src/*/', 'server/src/*/*/', '*/'], { cwd: root, exclude: ['node_modules'] })
  const rooms = folders.filter((path) => globSync(`${path}/**/*.ts`, { cwd: root }).length > 0)
  assert.ok(rooms.length > 40)
  assert.deepEqual(
    rooms.filter((path) => !named.has(`${path}/`)),
    [],
  )
})

test('the check finds what is not there', () => {
  const tree =
    '```\ncontract/   fields\nserver/\n  main.ts  gone.ts   starts\n  src/\n    nothing/   is here\nweb/  gone/  the app\n```\n'
  assert.deepEqual(
    pathsOfTrees(tree).filter((path) => !exists(path)),
    ['server/gone.ts', 'server/src/nothing/', 'gone/'],
  )
  const text =
    'See [this](docs/gone.md), [that](docs/errors.md) and `people/contacts/store.ts`, `people/contacts/gone.ts`.'
  assert.deepEqual(missingOf('README.md', text), ['docs/gone.md', 'people/contacts/gone.ts'])
})
