import type { NewLink } from '@patchbay/contract/app/team.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import { type AccountId, isId, newId, type UserId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { endPasswordLinks } from '../accounts/access-store.ts'
import { refuseAfterTaken } from '../accounts/taken-store.ts'
import { type By, noteAct } from '../audit/store.ts'
import { signedOut } from '../sessions/guard.ts'
import type { Sendable } from '../sessions/handlers.ts'
import { hashToken, newToken } from '../sessions/session-cookie.ts'
import { isSignedIn, type Session } from '../sessions/session-store.ts'
import { deleteLink, insertLink, type NewLink as LinkRow } from './link-store.ts'
import { listMembers, lockMembers, type MemberRow } from './member-store.ts'
import { memberOf } from './members.ts'

export type LinkCtx = Readonly<{ db: Db; publicUrl: string | undefined }>

/** Makes a link that lets one person join. */
export async function invite(
  { db, publicUrl }: LinkCtx,
  session: Session,
  { isOwner, by }: { isOwner: boolean; by: By },
): Promise<Sendable<NewLink>> {
  const { accountId, userId } = session
  return db.transaction().execute(async (tx) => {
    await lockAsMaker(tx, session)
    await refuseAfterTaken(tx, accountId)
    await noteAct(tx, accountId, { act: 'member invited', ...by, details: { role: isOwner ? 'owner' : 'member' } })
    return writeLink(tx, publicUrl, { accountId, userId: null, makesOwner: isOwner, madeBy: userId })
  })
}

export async function withdraw(db: Db, session: Session, { linkId, by }: { linkId: string; by: By }): Promise<void> {
  const { accountId } = session
  await db.transaction().execute(async (tx) => {
    const ended = isId('lnk', linkId) ? await deleteLink(tx, accountId, linkId) : undefined
    if (!ended) throw new Refusal('NOT_FOUND', 'This link was used, has ended or was withdrawn.')
    const { userId } = ended
    if (userId === null) return noteAct(tx, accountId, { act: 'invitation withdrawn', ...by })
    const { name = '' } = (await listMembers(tx, accountId)).find(({ id }) => id === userId) ?? {}
    await noteAct(tx, accountId, { act: 'password link withdrawn', ...by, details: { name } })
  })
}

/** Makes a link with which a member sets a new password. */
export async function makePasswordLink(
  { db, publicUrl }: LinkCtx,
  session: Session,
  { userId, by }: { userId: string; by: By },
): Promise<Sendable<NewLink>> {
  const { accountId } = session
  return db.transaction().execute(async (tx) => {
    const member = memberOf(await lockAsMaker(tx, session), userId)
    await noteAct(tx, accountId, { act: 'password link made', ...by, details: { name: member.name } })
    return writePasswordLink(tx, publicUrl, { accountId, userId: member.id, madeBy: session.userId })
  })
}

/**
 * Locks who may come into the account, for an owner of it who makes a link: one who was removed, made a member or signed out
 * since the request began makes none. Returns the members.
 */
export async function lockAsMaker(tx: Tx, session: Session): Promise<MemberRow[]> {
  const members = await lockMembers(tx, session.home.accountId)
  const maker = members.find(({ id }) => id === session.home.userId)
  if (!maker || !(await isSignedIn(tx, session))) throw signedOut()
  if (!maker.isOwner) throw new Refusal('FORBIDDEN', 'Only an owner of the account may do this.')
  return members
}

/** A link for the password of a user. The old password works until it is used; earlier links end. */
export async function writePasswordLink(
  tx: Tx,
  publicUrl: string | undefined,
  { accountId, userId, madeBy }: { accountId: AccountId; userId: UserId; madeBy: UserId },
): Promise<Sendable<NewLink>> {
  await endPasswordLinks(tx, { accountId, userId })
  return writeLink(tx, publicUrl, { accountId, userId, makesOwner: false, madeBy })
}

type LinkFor = Omit<LinkRow, 'id' | 'tokenHash'>

async function writeLink(tx: Tx, publicUrl: string | undefined, link: LinkFor): Promise<Sendable<NewLink>> {
  const token = newToken()
  const id = newId('lnk')
  const endsAt = await insertLink(tx, { ...link, id, tokenHash: hashToken(token) })
  // The token is behind the #: browsers do not send that part, so it stands in no server's log.
  return { id, url: `${publicUrl ?? ''}/join#${token}`, endsAt }
}
