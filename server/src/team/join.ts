import type { OpenedLink } from '@patchbay/contract/app/team.ts'
import { hashPassword } from '../accounts/password.ts'
import type { Sendable } from '../app-api/handlers.ts'
import { hashToken } from '../app-api/session-cookie.ts'
import { deleteSessionsOf, type Session } from '../app-api/session-store.ts'
import { setPassword } from '../app-api/user-store.ts'
import { noteAct } from '../audit/store.ts'
import type { Db } from '../platform/database/db.ts'
import { newId } from '../platform/ids.ts'
import { Refusal } from '../platform/refusal.ts'
import { parseEmail } from '../platform/text/email.ts'
import { findLink, type OpenLink, useLink } from './link-store.ts'
import { insertMember } from './member-store.ts'

/** Says what a link is for. */
export async function openLink(db: Db, token: string): Promise<Sendable<OpenedLink>> {
  const { accountName, userId, email, makesOwner, endsAt } = await requireLink(db, token)
  return { kind: userId === null ? 'invitation' : 'password', accountName, email, makesOwner, endsAt }
}

type Joining = { token: string; name: string; email: string; password: string }

type LinkUser = Pick<Session, 'accountId' | 'userId' | 'isOwner' | 'kind'>

/** Makes whoever has the link a user of the account; the link ends with it. */
export async function join(db: Db, given: Joining, address: string): Promise<LinkUser> {
  const { accountId, kind, makesOwner: isOwner } = await requireLink(db, given.token, 'invitation')
  const email = parseEmail(given.email)
  if (!email) throw new Refusal('INVALID_EMAIL', `"${given.email}" is not an e-mail address.`)
  const userId = newId('usr')
  const name = given.name.trim()
  const passwordHash = await hashPassword(given.password)
  await db.transaction().execute(async (tx) => {
    if (!(await useLink(tx, accountId, hashToken(given.token)))) throw ended()
    if (!(await insertMember(tx, { id: userId, accountId, name, email, passwordHash, isOwner }))) {
      throw new Refusal('CONFLICT', `${email} already signs in to an account; use another e-mail address.`)
    }
    await noteAct(tx, accountId, {
      act: 'member joined',
      actor: { kind: 'user', userId },
      details: { role: isOwner ? 'owner' : 'member' },
      address,
    })
  })
  return { accountId, userId, isOwner, kind }
}

/** Sets the password of the link's user and ends their sessions: whoever knew the old one loses access. */
export async function setPasswordByLink(
  db: Db,
  { token, password }: { token: string; password: string },
  address: string,
): Promise<LinkUser> {
  const { accountId, kind, userId, isOwner } = await requireLink(db, token, 'password')
  if (userId === null) throw ended()
  const passwordHash = await hashPassword(password)
  await db.transaction().execute(async (tx) => {
    if (!(await useLink(tx, accountId, hashToken(token)))) throw ended()
    await setPassword(tx, { accountId, userId }, passwordHash)
    await deleteSessionsOf(tx, { accountId, userId })
    await noteAct(tx, accountId, { act: 'password changed', actor: { kind: 'user', userId }, address })
  })
  return { accountId, userId, isOwner, kind }
}

async function requireLink(db: Db, token: string, kind?: OpenedLink['kind']): Promise<OpenLink> {
  const link = await findLink(db, hashToken(token))
  if (!link || (kind !== undefined && (link.userId === null) !== (kind === 'invitation'))) throw ended()
  return link
}

const ended = () =>
  new Refusal('NOT_FOUND', 'This link was used or has ended. Ask whoever sent it to you for a new one.')
