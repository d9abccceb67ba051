import type { OpenedLink } from '@patchbay/contract/app/team.ts'
import type { Pool } from 'pg'
import { openBatchedLookup } from '../../platform/database/batched-lookup.ts'
import type { FairShare } from '../../platform/database/fair-share.ts'
import { Refusal } from '../../platform/refusal.ts'
import { hashToken } from '../sessions/session-cookie.ts'
import { findLinks, type OpenLink } from './link-store.ts'

/** The link with this token, of this kind or of any. Refuses when there is none, or it has ended. */
export type FindLink = (asked: { token: string; address: string; kind?: OpenedLink['kind'] }) => Promise<OpenLink>

/** More than that wait only in a flood. */
const mostWaiting = 2_000

/** Looks up links for strangers: few at a time of one client address, and all of them in one query after another. */
export function openLinkLookup(pool: Pool, strangers: FairShare): FindLink {
  const find = openBatchedLookup({
    query: (hashes) => findLinks(pool, hashes),
    mostWaiting,
    mostAtOnce: 1,
    mayJoin: false,
  })
  return async ({ token, address, kind }) => {
    const link = await strangers(address, () => find(hashToken(token).toString('hex')))
    if (!link || (kind !== undefined && (link.userId === null) !== (kind === 'invitation'))) throw linkEnded()
    return link
  }
}

export const linkEnded = () =>
  new Refusal('NOT_FOUND', 'This link was used or has ended. Ask whoever sent it to you for a new one.')
