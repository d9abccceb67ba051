import type { Db } from '../../platform/database/db.ts'
import { isId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { endAccess, lockAccess } from '../accounts/access-store.ts'
import { noteBoth } from '../audit/note-both.ts'
import { type By, noteAct } from '../audit/store.ts'
import { answerSignedIn, type SessionCtx, showMe } from './answer-signed-in.ts'
import type { Handlers } from './handlers.ts'
import { clearToken } from './session-cookie.ts'
import { beginVisit, deleteSession, endVisit, findOrMakeGuest, noteTold, type Session } from './session-store.ts'
import { signIn } from './sign-in.ts'

type Routes = Extract<keyof Handlers, `${string} /api/session${string}`>

export function sessionHandlers(ctx: SessionCtx): Pick<Handlers, Routes> {
  const { db, hint } = ctx
  return {
    'POST /api/session': async ({ body, http, reply, by }) =>
      answerSignedIn(ctx, await signIn(ctx, body, by.address), { http, reply }),
    'GET /api/session': ({ session }) => showMe(ctx, session),
    'DELETE /api/session': async ({ session, reply }) => {
      await deleteSession(db, session)
      clearToken(reply)
      return { done: true }
    },
    'PUT /api/session/told': async ({ session }) => {
      await noteTold(db, session)
      return showMe(ctx, session)
    },
    'POST /api/session/visit': async ({ session, body, by }) =>
      showMe(ctx, await visitSubaccount(db, session, { accountId: body.accountId, address: by.address })),
    'DELETE /api/session/visit': async ({ session, by }) => {
      const home = await leaveSubaccount(db, session, by.address)
      hint(session.home.accountId, 'sessions')
      return showMe(ctx, home)
    },
    'DELETE /api/sessions': async ({ session, reply, by }) => {
      await db.transaction().execute(async (tx) => {
        await lockAccess(tx, session.home.accountId)
        await endAccess(tx, session.home)
        await noteAct(tx, session.home.accountId, { act: 'signed out everywhere', ...by })
      })
      clearToken(reply)
      return { done: true }
    },
  }
}

/** Opens a sub-account's app for an owner of its agency. It stands in the audit of both. */
async function visitSubaccount(
  db: Db,
  session: Session,
  { accountId, address }: { accountId: string; address: string },
): Promise<Session> {
  if (!isId('acc', accountId)) throw unknown(accountId)
  const userId = await db.transaction().execute(async (tx) => {
    const guestId = await findOrMakeGuest(tx, session, accountId)
    if (guestId === undefined) throw unknown(accountId)
    await beginVisit(tx, session, guestId)
    await noteBoth(tx, { agencyId: session.home.accountId, accountId }, { act: 'visit began', ...by(session, address) })
    return guestId
  })
  return { ...session, accountId, kind: 'subaccount', userId, isVisiting: true }
}

async function leaveSubaccount(db: Db, session: Session, address: string): Promise<Session> {
  const { isVisiting, accountId, home } = session
  if (!isVisiting) return session
  await db.transaction().execute(async (tx) => {
    await endVisit(tx, session)
    await noteBoth(tx, { agencyId: home.accountId, accountId }, { act: 'visit ended', ...by(session, address) })
  })
  return { ...session, ...home, kind: 'agency', isVisiting: false }
}

const by = ({ home }: Session, address: string): By => ({ actor: { kind: 'user', userId: home.userId }, address })

const unknown = (accountId: string) => new Refusal('NOT_FOUND', `You have no sub-account ${accountId}.`)
