import { type Child, make } from './dom.ts'

/** Text with its links. Nothing else in it means anything. */
export function withLinks(text: string): Child[] {
  const parts: Child[] = []
  let done = 0
  for (const found of text.matchAll(/(?:https?:\/\/|mailto:)[^\s<>"'`]+/gi)) {
    const address = found[0].replace(/[.,;:!?)\]}»”’]+$/u, '')
    if (!isAddress(address)) continue
    parts.push(text.slice(done, found.index), linkTo(address, address))
    done = found.index + address.length
  }
  parts.push(text.slice(done))
  return parts.filter((part) => part !== '')
}

/** Only of these three schemes: no other can be told apart from script. */
export function isAddress(address: string): boolean {
  try {
    return ['http:', 'https:', 'mailto:'].includes(new URL(address).protocol)
  } catch {
    return false
  }
}

export function linkTo(address: string, text: string): HTMLElement {
  return make('a', { href: address, target: '_blank', rel: 'noopener noreferrer nofollow' }, [text])
}
