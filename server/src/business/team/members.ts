import type { Db, Tx } from '../../platform/database/db.ts'
import { Refusal } from '../../platform/refusal.ts'
import { endLinks } from '../accounts/access-store.ts'
import type { AccountKind } from '../accounts/store.ts'
import { type By, noteAct } from '../audit/store.ts'
import type { Session } from '../sessions/session-store.ts'
import { lockMembers, type MemberRow, removeMember, setRole } from './member-store.ts'

type Change = { userId: string; by: By }

/** Makes a member an owner, or an owner a member; lets a member manage, or no longer. */
export async function changeRole(
  db: Db,
  session: Session,
  { userId, by, isOwner, isManager }: Change & { isOwner?: boolean; isManager?: boolean },
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const members = await lockMembers(tx, session.accountId)
    const member = memberOf(members, userId)
    const owns = isOwner ?? member.isOwner
    if (owns && isManager) {
      throw new Refusal('INVALID_REQUEST', 'isManager is for members; an owner may manage anyway.')
    }
    const isChanged = owns !== member.isOwner
    if (isChanged) await setOwner(tx, session, { members, member, by, isOwner: owns })
    // Who was an owner begins as a member without the right.
    const before = !isChanged && member.isManager
    const after = !owns && (isManager ?? before)
    if (after !== before) await setManager(tx, session, { member, by, isManager: after })
  })
}

/** Links from before end: they would let somebody in with the new role, or are of somebody who may make none any more. */
async function setOwner(tx: Tx, session: Session, change: TeamMember & { by: By; isOwner: boolean }): Promise<void> {
  const { accountId } = session
  const { member, by, isOwner } = change
  if (!isOwner) await passOn(tx, session, change)
  await setRole(tx, { accountId, userId: member.id }, { isOwner, isHolder: false, isManager: false })
  await endLinks(tx, { accountId, userId: member.id })
  const details = { name: member.name, role: isOwner ? 'owner' : 'member' }
  await noteAct(tx, accountId, { act: 'role changed', ...by, details })
}

type ManagerChange = { member: MemberRow; by: By; isManager: boolean }

async function setManager(tx: Tx, { accountId }: Session, { member, by, isManager }: ManagerChange): Promise<void> {
  await setRole(tx, { accountId, userId: member.id }, { isOwner: false, isHolder: false, isManager })
  const details = { name: member.name, manages: isManager ? 'yes' : 'no' }
  await noteAct(tx, accountId, { act: 'manager changed', ...by, details })
}

/** Removes somebody. Their sessions find that out at the next request, their links end; what they wrote keeps their name. */
export async function removeFromTeam(db: Db, session: Session, { userId, by }: Change): Promise<void> {
  const { accountId } = session
  await db.transaction().execute(async (tx) => {
    const members = await lockMembers(tx, accountId)
    const member = memberOf(members, userId)
    if (member.isOwner) await passOn(tx, session, { members, member })
    await removeMember(tx, { accountId, userId: member.id })
    await endLinks(tx, { accountId, userId: member.id })
    await noteAct(tx, accountId, { act: 'member removed', ...by, details: { name: member.name } })
  })
}

export function memberOf(members: MemberRow[], userId: string): MemberRow {
  const member = members.find(({ id }) => id === userId)
  if (!member) throw new Refusal('NOT_FOUND', 'Nobody in this team has this id.')
  return member
}

type TeamMember = { members: MemberRow[]; member: MemberRow }

/** If an owner who is to be one no longer holds the account, the owner who is there the longest holds it next. */
async function passOn(tx: Tx, { accountId, kind }: Session, { members, member }: TeamMember): Promise<void> {
  const next = members.find(({ id, isOwner }) => isOwner && id !== member.id)
  if (!next) throw new Refusal('CONFLICT', 'The last owner cannot go; make somebody else an owner first.')
  if (!member.isHolder) return
  refuseForSubaccount(kind)
  await setRole(tx, { accountId, userId: member.id }, { isOwner: true, isHolder: false })
  await setRole(tx, { accountId, userId: next.id }, { isOwner: true, isHolder: true })
}

/** An agency finds its sub-accounts, and grants them credits, by the holder's e-mail address. */
function refuseForSubaccount(kind: AccountKind): void {
  if (kind !== 'subaccount') return
  throw new Refusal('CONFLICT', 'Your agency knows this account by that e-mail address; only the agency can change it.')
}
