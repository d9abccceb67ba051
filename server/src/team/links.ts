import type { NewLink } from '@patchbay/contract/app/team.ts'
import type { Sendable } from '../app-api/handlers.ts'
import { hashToken, newToken } from '../app-api/session-cookie.ts'
import type { Session } from '../app-api/session-store.ts'
import { type By, noteAct } from '../audit/store.ts'
import type { Db, Tx } from '../platform/database/db.ts'
import { type AccountId, isId, newId, type UserId } from '../platform/ids.ts'
import { Refusal } from '../platform/refusal.ts'
import { deleteInvitation, deletePasswordLinks, insertLink } from './link-store.ts'
import { lockMembers } from './member-store.ts'
import { noMember } from './members.ts'

export type LinkCtx = Readonly<{ db: Db; publicUrl: string }>

/** Makes a link that lets one person join. */
export async function invite(
  { db, publicUrl }: LinkCtx,
  session: Session,
  { isOwner, by }: { isOwner: boolean; by: By },
): Promise<Sendable<NewLink>> {
  const { accountId, userId } = session
  const token = newToken()
  const id = newId('lnk')
  const endsAt = await db.transaction().execute(async (tx) => {
    await noteAct(tx, accountId, { act: 'member invited', ...by, details: { role: isOwner ? 'owner' : 'member' } })
    const link = { accountId, id, tokenHash: hashToken(token), userId: null, makesOwner: isOwner, madeBy: userId }
    return insertLink(tx, link)
  })
  return { id, url: addressOf(publicUrl, token), endsAt }
}

export async function withdraw(db: Db, session: Session, { linkId, by }: { linkId: string; by: By }): Promise<void> {
  const { accountId } = session
  await db.transaction().execute(async (tx) => {
    if (!isId('lnk', linkId) || !(await deleteInvitation(tx, accountId, linkId))) {
      throw new Refusal('NOT_FOUND', 'This invitation was used, has ended or was withdrawn.')
    }
    await noteAct(tx, accountId, { act: 'invitation withdrawn', ...by })
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
    const member = (await lockMembers(tx, accountId)).find((one) => one.id === userId)
    if (!member) throw noMember()
    await noteAct(tx, accountId, { act: 'password link made', ...by, details: { name: member.name } })
    return writePasswordLink(tx, publicUrl, { accountId, userId: member.id, madeBy: session.userId })
  })
}

type Whose = { accountId: AccountId; userId: UserId; madeBy: UserId }

/** A link for the password of a user. The old password works until it is used; earlier links end. */
export async function writePasswordLink(
  tx: Tx,
  publicUrl: string,
  { accountId, userId, madeBy }: Whose,
): Promise<Sendable<NewLink>> {
  const token = newToken()
  const id = newId('lnk')
  await deletePasswordLinks(tx, accountId, userId)
  const link = { accountId, id, tokenHash: hashToken(token), userId, makesOwner: false, madeBy }
  return { id, url: addressOf(publicUrl, token), endsAt: await insertLink(tx, link) }
}

/** The token is behind the #: browsers do not send that part, so it stands in no server's log. */
const addressOf = (publicUrl: string, token: string) => `${publicUrl}/join#${token}`
