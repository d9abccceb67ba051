import type { NewLink } from '@patchbay/contract/app/team.ts'
import type { Sendable } from '../app-api/handlers.ts'
import { hashToken, newToken } from '../app-api/session-cookie.ts'
import type { Session } from '../app-api/session-store.ts'
import { type By, noteAct } from '../audit/store.ts'
import type { Db } from '../platform/database/db.ts'
import { isId, newId } from '../platform/ids.ts'
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

/** Makes a link with which a member sets a new password. The old one works until then; earlier links end. */
export async function makePasswordLink(
  { db, publicUrl }: LinkCtx,
  session: Session,
  { userId, by }: { userId: string; by: By },
): Promise<Sendable<NewLink>> {
  const { accountId } = session
  const token = newToken()
  const id = newId('lnk')
  const endsAt = await db.transaction().execute(async (tx) => {
    const member = (await lockMembers(tx, accountId)).find((one) => one.id === userId)
    if (!member) throw noMember()
    await deletePasswordLinks(tx, accountId, member.id)
    await noteAct(tx, accountId, { act: 'password link made', ...by, details: { name: member.name } })
    const link = { accountId, id, tokenHash: hashToken(token), userId: member.id }
    return insertLink(tx, { ...link, makesOwner: false, madeBy: session.userId })
  })
  return { id, url: addressOf(publicUrl, token), endsAt }
}

/** The token is behind the #: browsers do not send that part, so it stands in no server's log. */
const addressOf = (publicUrl: string, token: string) => `${publicUrl}/join#${token}`
