import type { Me } from '@patchbay/contract/app/session.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { noteAct } from '../audit/store.ts'
import type { Config } from '../platform/config/config.ts'
import type { Db } from '../platform/database/db.ts'
import { Refusal } from '../platform/refusal.ts'
import { version } from '../platform/version.ts'
import type { Hint } from '../work/hints.ts'
import type { Handlers, Sendable } from './handlers.ts'
import { clearToken, hashToken, readToken, setToken } from './session-cookie.ts'
import { deleteSession, deleteSessionsOf, deleteSessionWith, type Session } from './session-store.ts'
import { type SignedIn, signIn } from './sign-in.ts'
import type { SignInThrottle } from './sign-in-throttle.ts'
import { findAgencyName, findShownAccount, findUser } from './user-store.ts'
import { leaveSubaccount, visitSubaccount } from './visit.ts'

export type SessionCtx = Readonly<{
  db: Db
  config: Pick<Config, 'publicUrl'>
  throttle: SignInThrottle
  hint: Hint
}>
type Routes = Extract<keyof Handlers, `${string} /api/session${string}`>

export function sessionHandlers(ctx: SessionCtx): Pick<Handlers, Routes> {
  const { db, config, hint } = ctx
  return {
    'POST /api/session': async ({ body, http, reply, by }) =>
      answerSignedIn(ctx, await signIn(ctx, body, by.address), { http, reply }),
    'GET /api/session': ({ session }) => showMe({ db, config }, session),
    'DELETE /api/session': async ({ session, reply }) => {
      await deleteSession(db, session)
      clearToken(reply)
      return { done: true }
    },
    'POST /api/session/visit': async ({ session, body, by }) =>
      showMe({ db, config }, await visitSubaccount(db, session, { accountId: body.accountId, address: by.address })),
    'DELETE /api/session/visit': async ({ session, by }) => {
      const home = await leaveSubaccount(db, session, by.address)
      hint(session.home.accountId, 'sessions')
      return showMe({ db, config }, home)
    },
    'DELETE /api/sessions': async ({ session, reply, by }) => {
      await db.transaction().execute(async (tx) => {
        await deleteSessionsOf(tx, session.home)
        await noteAct(tx, session.home.accountId, { act: 'signed out everywhere', ...by })
      })
      clearToken(reply)
      return { done: true }
    },
  }
}

/** Gives the browser that sent this request the cookie of its new session. */
export async function answerSignedIn(
  { db, config }: Pick<SessionCtx, 'db' | 'config'>,
  { token, ...session }: SignedIn,
  { http, reply }: { http: FastifyRequest; reply: FastifyReply },
): Promise<Sendable<Me>> {
  const replaced = readToken(http)
  if (replaced !== undefined) await deleteSessionWith(db, hashToken(replaced)) // no page can use it any more
  setToken(reply, token)
  return showMe({ db, config }, session)
}

async function showMe({ db, config }: Pick<SessionCtx, 'db' | 'config'>, session: Session): Promise<Sendable<Me>> {
  const { accountId, userId, isVisiting, home } = session
  const user = await findUser(db, home)
  if (!user) throw new Refusal('UNAUTHORIZED', 'You are signed out; sign in again.')
  const { name, email, isOwner } = user
  const account = await findShownAccount(db, accountId)
  return {
    user: { id: userId, name, email, isOwner },
    account: { id: accountId, name: account.name, kind: account.kind },
    visiting: isVisiting ? { agencyName: await findAgencyName(db, session) } : null,
    publicUrl: config.publicUrl,
    version,
  }
}
