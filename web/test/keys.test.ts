import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pressOf } from '../src/commands/keys.ts'

const none = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, isComposing: false }

test('a key is the same one with Caps Lock, on a Mac and on any keyboard; what composes a letter is none', () => {
  const pressed: [Partial<Parameters<typeof pressOf>[0]> & { key: string }, string | undefined][] = [
    [{ key: 'j' }, 'j'],
    [{ key: 'J' }, 'j'],
    [{ key: 'R', shiftKey: true }, 'Shift+r'],
    [{ key: '?', shiftKey: true }, '?'],
    [{ key: '/', shiftKey: true }, '/'],
    [{ key: 'k', ctrlKey: true }, 'Mod+k'],
    [{ key: 'k', metaKey: true }, 'Mod+k'],
    [{ key: 'å', altKey: true }, undefined],
    [{ key: 'に', isComposing: true }, undefined],
    [{ key: 'Shift', shiftKey: true }, undefined],
  ]
  for (const [event, expected] of pressed) assert.equal(pressOf({ ...none, ...event }), expected, JSON.stringify(event))
})
