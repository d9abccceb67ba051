import assert from 'node:assert/strict'
import { test } from 'node:test'
import axe from 'axe-core'
import { assertAccessible, colourRules } from './helpers/axe.ts'
import { openContext } from './helpers/warm-contexts.ts'

test('the rules that are looked at in both themes are all that axe has of colour', () => {
  const ofColour = axe.getRules(['cat.color']).map(({ ruleId }) => ruleId)
  const byDefault = ofColour.filter((rule) => rule !== 'color-contrast-enhanced') // for level AAA, off unless it is named
  assert.deepEqual(byDefault.toSorted(), colourRules)
})

test('contrast is found too low in each theme, on a page that was fine before and in what was fine elsewhere', async () => {
  const context = await openContext('https://localhost')
  const page = await context.newPage()
  await page.setContent(`<!doctype html><html lang="en"><title>Colours</title>
    <style>
      :root { color-scheme: light dark; background: light-dark(white, black); color: light-dark(black, white) }
      .grey { background: #555 } .faint { color: light-dark(#bbb, white) } .dim { color: light-dark(black, #444) }
    </style>
    <main><h1>Colours</h1><p>One</p><p>The second one leads to <a href="#x">the third</a> of them</p><div><p>Four</p></div><button disabled>Off</button></main>`)
  const change = (script: string) => page.evaluate(script)
  const isRefused = (why: RegExp) => assert.rejects(assertAccessible(page), why)
  await assertAccessible(page)
  for (const [selector, name, why] of [
    ['p', 'faint', /light: color-contrast: /],
    ['p', 'dim', /dark: color-contrast: /],
    ['div', 'faint', /light: color-contrast: /],
    ['main', 'dim', /dark: color-contrast: /],
    ['div', 'grey', /light: color-contrast: /],
    ['button', 'faint', undefined],
  ] as const) {
    await change(`document.querySelector('${selector}').className = '${name}'`)
    await (why ? isRefused(why) : assertAccessible(page))
    await change(`document.querySelector('${selector}').className = ''`)
    await assertAccessible(page)
  }
  await change(
    `document.querySelector('button').className = 'faint'; document.querySelector('button').disabled = false`,
  )
  await isRefused(/light: color-contrast: .*button/)
  await change(
    `document.querySelector('button').remove(); document.querySelector('a').style = 'color: light-dark(#222, #ddd); text-decoration: none'`,
  )
  await isRefused(/link-in-text-block/)
  await context.close()
})
