import { endAccess, lockAccess } from '../accounts/access-store.ts'
import { noteAct } from '../audit/store.ts'
import { answerSignedIn, type SessionCtx, showMe } from './answer-signed-in.ts'
import type { Handlers } from './handlers.ts'
import { clearToken } from './session-cookie.ts'
import { deleteSession, noteTold } from './session-store.ts'
import { signIn } from './sign-in.ts'
import { leaveSubaccount, visitSubaccount } from './visit.ts'

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
    'PUT /api/session/told': async ({ session }) => {
      await noteTold(db, session)
      return showMe({ db, config }, session)
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
        await lockAccess(tx, session.home.accountId)
        await endAccess(tx, session.home)
        await noteAct(tx, session.home.accountId, { act: 'signed out everywhere', ...by })
      })
      clearToken(reply)
      return { done: true }
    },
  }
}
