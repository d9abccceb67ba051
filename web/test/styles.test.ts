import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const src = new URL('../src/', import.meta.url).pathname

type Sheet = { file: string; text: string; layer: string | undefined; area: string }

const sheets: Sheet[] = globSync('**/*.css', { cwd: src })
  .filter((file) => file !== 'styles/fonts.css') // it has no rules
  .map((file) => {
    const text = readFileSync(src + file, 'utf8').replaceAll(/\/\*.*?\*\//gs, '')
    const [area = ''] = file.split('/')
    return { file, text, area, layer: /^\s*@layer (\w+) \{/.exec(text)?.[1] }
  })

/** The selectors of rules that are in no other rule. */
function selectorsOf(text: string): string[] {
  const found: string[] = []
  const open: string[] = []
  for (const [, before = '', sign] of text.matchAll(/([^{};]*)([{};])/g)) {
    if (sign === '}') open.pop()
    if (sign !== '{') continue
    const name = before.trim()
    if (!name.startsWith('@') && open.every((each) => /^@(layer|media|container|supports)/.test(each))) found.push(name)
    open.push(name)
  }
  return found.flatMap((list) => list.split(/,(?![^(]*\))/)).map((selector) => selector.trim())
}

/** The classes of the element that a selector begins with, also those in a condition on it. */
function firstClasses(selector: string): string[] {
  const [first = ''] = /^(?:\([^)]*\)|[^\s>+~(])+/.exec(selector) ?? []
  return classesOf(first)
}

function classesOf(element: string): string[] {
  return [...element.matchAll(/\.([a-z][\w-]*)/gi)].map(([, name = '']) => name)
}

/** The components of a style sheet: the classes that its rules begin with. */
function componentsOf(text: string): string[] {
  return selectorsOf(text).flatMap((selector) => firstClasses(selector).slice(0, 1))
}

/** The elements in selectors, also of rules in rules, none of whose classes says which component it belongs to. */
function unnamedElements(text: string, components: Set<string>): string[] {
  const own = componentsOf(text)
  const isNamed = (name: string) => components.has(name) || own.some((component) => name.startsWith(`${component}-`))
  return [...text.matchAll(/([^{};]*)\{/g)]
    .map(([, selectors = '']) => selectors.trim())
    .filter((selectors) => !selectors.startsWith('@'))
    .flatMap((selectors) => selectors.replaceAll(/:not\(([^()]|\([^()]*\))*\)/g, '').split(/[\s>+~,()]+/))
    .filter((element) => !element.startsWith('&') && classesOf(element).length > 0)
    .filter((element) => !classesOf(element).some(isNamed))
}

test('every style sheet names its layer: screens win over components, components over the base', () => {
  assert.ok(sheets.length > 50)
  for (const { file, area, layer } of sheets) {
    const expected =
      file === 'styles/tokens.css' ? 'tokens' : area === 'styles' ? 'base' : area === 'ui' ? 'ui' : 'screens'
    assert.equal(layer, expected, file)
  }
})

test('a rule of a screen begins with a class of its own, so that no screen changes another one or a component', () => {
  const owners = new Map<string, Set<string>>()
  for (const { area, text } of sheets) {
    for (const name of componentsOf(text)) {
      owners.set(name, (owners.get(name) ?? new Set()).add(area))
    }
  }
  const isOwn = (name: string, area: string) => [...(owners.get(name) ?? [area])].every((owner) => owner === area)
  for (const { file, area, text } of sheets.filter((sheet) => sheet.layer === 'screens')) {
    const foreign = selectorsOf(text).filter((selector) => !firstClasses(selector).some((name) => isOwn(name, area)))
    assert.deepEqual(foreign, [], file)
  }
})

test('a class inside a component begins with its name, if it is no component itself', () => {
  const components = new Set(sheets.flatMap(({ text }) => componentsOf(text)))
  for (const { file, text } of sheets) assert.deepEqual(unnamedElements(text, components), [], file)
})

test('a class that says nothing of its component is found', () => {
  const text = `@layer ui {
    .sheet.is-open > .sheet-body :is(a, .btn), .sheet:not(.wide):has(> .foot) { color: red; }
    .sheet { &.wide .title.big { color: red; } tr.on { color: red; } }
  }`
  assert.deepEqual(unnamedElements(text, new Set(['sheet', 'btn'])), ['.foot', '.title.big', 'tr.on'])
})
