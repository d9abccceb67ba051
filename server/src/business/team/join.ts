import type { OpenedLink } from '@patchbay/contract/app/team.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import { newId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { parseEmail } from '../../platform/text/email.ts'
import { endAccess, lockAccess, type UserRef } from '../accounts/access-store.ts'
import { hashPassword } from '../accounts/password.ts'
import { insertUser } from '../accounts/store.ts'
import { countTaken, lockTaken } from '../accounts/taken-store.ts'
import { noteAct } from '../audit/store.ts'
import type { Sendable } from '../sessions/handlers.ts'
import { hashToken } from '../sessions/session-cookie.ts'
import { type ProvenUser, setPassword } from '../sessions/user-store.ts'
import { linkEnded } from './link-lookup.ts'
import { countTakenBy, isLinkOpen, noteAgencyLink, type OpenLink, useLink } from './link-store.ts'

/** Says what a link is for. */
export function describeLink({ accountName, userId, email, makesOwner, endsAt }: OpenLink): Sendable<OpenedLink> {
  return { kind: userId === null ? 'invitation' : 'password', accountName, email, makesOwner, endsAt }
}

type JoinRequest = { token: string; name: string; email: string; password: string }

/**
 * Makes whoever has the link a user of the account; the link ends with it. An e-mail address that somebody signs in with is
 * refused, which tells that it has an account: the third such try ends the link, an account's twentieth in a day all of them.
 */
export async function join(db: Db, link: OpenLink, given: JoinRequest, address: string): Promise<ProvenUser> {
  const { accountId, makesOwner: isOwner } = link
  const email = parseEmail(given.email)
  if (!email) throw new Refusal('INVALID_EMAIL', `"${given.email}" is not an e-mail address.`)
  const userId = newId('usr')
  const name = given.name.trim()
  const passwordHash = await hashPassword(given.password)
  const isTaken = await db.transaction().execute(async (tx) => {
    await lockTaken(tx, accountId) // one try at a time
    const tokenHash = hashToken(given.token)
    if (!(await isLinkOpen(tx, accountId, tokenHash))) throw linkEnded()
    if (!(await insertUser(tx, { id: userId, accountId, name, email, passwordHash, isOwner }))) {
      await countTakenBy(tx, accountId, tokenHash)
      await countTaken(tx, accountId)
      return true
    }
    await useLink(tx, accountId, tokenHash)
    const details = { role: isOwner ? 'owner' : 'member' }
    await noteAct(tx, accountId, { act: 'member joined', actor: { kind: 'user', userId }, details, address })
    return false
  })
  if (isTaken) throw new Refusal('CONFLICT', `${email} already signs in to an account; use another e-mail address.`)
  return { accountId, userId, passwordHash }
}

/**
 * Sets the password of the link's user and ends their sessions: whoever knew the old one loses access. `note` writes the
 * sign-in that follows into the audit, with who made the link.
 */
export async function setPasswordByLink(
  db: Db,
  link: OpenLink,
  { token, password }: { token: string; password: string },
  address: string,
): Promise<{ user: ProvenUser; note: (tx: Tx) => Promise<void> }> {
  const { accountId, userId } = link
  if (userId === null) throw linkEnded()
  const user = { accountId, userId }
  const passwordHash = await hashPassword(password)
  await db.transaction().execute(async (tx) => {
    await lockAccess(tx, accountId)
    if (!(await useLink(tx, accountId, hashToken(token)))) throw linkEnded()
    await setPassword(tx, user, passwordHash)
    await endAccess(tx, user)
    await noteByLink(tx, link, { user, act: 'password changed', address })
    if (link.agencyId !== null) await noteAgencyLink(tx, accountId, 'used')
  })
  return { user: { ...user, passwordHash }, note: (tx) => noteByLink(tx, link, { user, act: 'signed in', address }) }
}

type LinkUse = { user: UserRef; act: 'password changed' | 'signed in'; address: string }

/**
 * What was done by a link is written down with who made it: that may be somebody else than who it is for. If the agency made
 * it, the agency sees it in its audit too.
 */
async function noteByLink(tx: Tx, link: OpenLink, { user, act, address }: LinkUse): Promise<void> {
  const { accountId, madeBy, agencyId, agencyUser, email } = link
  await noteAct(tx, accountId, { act, actor: { kind: 'user', userId: user.userId }, details: { madeBy }, address })
  if (agencyId === null) return
  const details = { accountId, email: email ?? '', madeBy: agencyUser ?? '' }
  await noteAct(tx, agencyId, { act, actor: { kind: 'nobody' }, details, address: null })
}
