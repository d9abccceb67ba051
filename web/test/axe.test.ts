import assert from 'node:assert/strict'
import { test } from 'node:test'
import axe from 'axe-core'
import { colourRules } from './helpers/axe.ts'

test('the rules that are looked at in both themes are all that axe has of colour', () => {
  const ofColour = axe.getRules(['cat.color']).map(({ ruleId }) => ruleId)
  const byDefault = ofColour.filter((rule) => rule !== 'color-contrast-enhanced') // for level AAA, off unless it is named
  assert.deepEqual(byDefault.toSorted(), colourRules)
})
