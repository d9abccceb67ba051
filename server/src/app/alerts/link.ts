import type { LinkTo } from './alert-texts.ts'

/** Pages of the app as others can open them. An app that only this machine can reach has none. */
export function linksAt(publicUrl: string): LinkTo {
  const { hostname } = new URL(publicUrl)
  const isHere = hostname === 'localhost' || hostname.startsWith('127.') || hostname === '[::1]'
  return (path) => (isHere ? undefined : `${publicUrl}${path}`)
}
