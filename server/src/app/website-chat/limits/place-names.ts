import { hash, randomBytes } from 'node:crypto'

/**
 * What an address is called where it is counted: its hash with a key that is made anew each day, so that nobody finds an address in
 * memory. `before`: what it was called yesterday, since who was counted before midnight is no other one after it.
 */
export type PlaceName = { name: string; before: string | undefined }

const dayMs = 86_400_000

export function openPlaceNames(now: () => number): (text: string) => PlaceName {
  let today = Number.NaN
  let [key, keyBefore]: [string, string | undefined] = ['', undefined]
  return (text) => {
    const on = Math.floor(now() / dayMs)
    if (on !== today) {
      keyBefore = on === today + 1 ? key : undefined
      ;[today, key] = [on, randomBytes(32).toString('base64url')]
    }
    return { name: nameBy(key, text), before: keyBefore === undefined ? undefined : nameBy(keyBefore, text) }
  }
}

const nameBy = (key: string, text: string) => hash('sha256', `${key} ${text}`, 'base64url').slice(0, 22)
