import type { OpenedLink } from '@patchbay/contract/app/team.ts'
import { hashPassword } from '../accounts/password.ts'
import type { Sendable } from '../app-api/handlers.ts'
import { hashToken } from '../app-api/session-cookie.ts'
import { deleteSessionsOf } from '../app-api/session-store.ts'
import { setPassword } from '../app-api/user-store.ts'
import { noteAct } from '../audit/store.ts'
import type { Db } from '../platform/database/db.ts'
import { type AccountId, newId, type UserId } from '../platform/ids.ts'
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

type Login = { email: string; password: string }

/** Makes whoever has the link a user of the account; the link ends with it. Returns how they sign in. */
export async function join(db: Db, given: Joining, address: string): Promise<Login & { accountId: AccountId }> {
  const link = await requireLink(db, given.token, 'invitation')
  const { accountId, makesOwner } = link
  const email = parseEmail(given.email)
  if (!email) throw new Refusal('INVALID_EMAIL', `"${given.email}" is not an e-mail address.`)
  const id = newId('usr')
  const name = given.name.trim()
  const passwordHash = await hashPassword(given.password)
  await db.transaction().execute(async (tx) => {
    if (!(await useLink(tx, accountId, hashToken(given.token)))) throw ended()
    if (!(await insertMember(tx, { id, accountId, name, email, passwordHash, isOwner: makesOwner }))) {
      throw new Refusal('CONFLICT', `${email} already signs in to an account; use another e-mail address.`)
    }
    await noteAct(tx, accountId, {
      act: 'member joined',
      actor: { kind: 'user', userId: id },
      details: { role: makesOwner ? 'owner' : 'member' },
      address,
    })
  })
  return { accountId, email, password: given.password }
}

/** Sets the password of the link's user and ends their sessions: whoever knew the old one loses access. */
export async function setPasswordByLink(
  db: Db,
  { token, password }: { token: string; password: string },
  address: string,
): Promise<Login> {
  const { accountId, userId, email } = await requireLink(db, token, 'password')
  if (userId === null || email === null) throw ended()
  const passwordHash = await hashPassword(password)
  await db.transaction().execute(async (tx) => {
    if (!(await useLink(tx, accountId, hashToken(token)))) throw ended()
    await setPassword(tx, { accountId, userId }, passwordHash)
    await deleteSessionsOf(tx, { accountId, userId })
    await noteAct(tx, accountId, { act: 'password changed', actor: userOf(userId), address })
  })
  return { email, password }
}

const userOf = (userId: UserId) => ({ kind: 'user', userId }) as const

async function requireLink(db: Db, token: string, kind?: OpenedLink['kind']): Promise<OpenLink> {
  const link = await findLink(db, hashToken(token))
  if (!link || (kind !== undefined && (link.userId === null) !== (kind === 'invitation'))) throw ended()
  return link
}

const ended = () =>
  new Refusal('NOT_FOUND', 'This link was used or has ended. Ask whoever sent it to you for a new one.')
