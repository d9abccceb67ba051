import type { Me } from '@patchbay/contract/app/session.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Config, givenPublicUrl } from '../../platform/config/config.ts'
import { ownCertificate } from '../../platform/https-server/own-certificate.ts'
import type { Hint } from '../../platform/notify/hints.ts'
import { Refusal } from '../../platform/refusal.ts'
import { version } from '../../platform/version.ts'
import { endAccess, lockAccess } from '../accounts/access-store.ts'
import { noteAct } from '../audit/store.ts'
import type { Handlers, Sendable } from './handlers.ts'
import { clearToken, hashToken, readToken, setToken } from './session-cookie.ts'
import { deleteSession, deleteSessionWith, noteTold } from './session-store.ts'
import { type BegunSession, type SignedIn, type SignInCtx, signIn } from './sign-in.ts'
import { findAgencyLink, findAgencyName, findShownAccount, findUser } from './user-store.ts'
import { leaveSubaccount, visitSubaccount } from './visit.ts'

export type SessionCtx = SignInCtx &
  Readonly<{ config: Pick<Config, 'publicUrl' | 'namesSet' | 'tlsFiles' | 'dataDir' | 'host'>; hint: Hint }>
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

/** Gives the browser that sent this request the cookie of its new session. */
export async function answerSignedIn(
  { db, config, share }: Pick<SessionCtx, 'db' | 'config' | 'share'>,
  { token, ...session }: SignedIn,
  { http, reply }: { http: FastifyRequest; reply: FastifyReply },
): Promise<Sendable<Me>> {
  return share(session.accountId, async () => {
    const replaced = readToken(http)
    if (replaced !== undefined) await deleteSessionWith(db, hashToken(replaced)) // no page can use it any more
    setToken(reply, token)
    return showMe({ db, config }, session)
  })
}

async function showMe({ db, config }: Pick<SessionCtx, 'db' | 'config'>, session: BegunSession): Promise<Sendable<Me>> {
  const { accountId, userId, isVisiting, home, tokenHash } = session
  const user = await findUser(db, home)
  if (!user) throw new Refusal('UNAUTHORIZED', 'You are signed out; sign in again.')
  const { name, email, isOwner } = user
  const mayManage = isOwner || user.isManager
  const account = await findShownAccount(db, accountId)
  return {
    user: { id: userId, name, email, isOwner, mayManage },
    account: { id: accountId, name: account.name, kind: account.kind },
    visiting: isVisiting ? { agencyName: await findAgencyName(db, session) } : null,
    agencyLink: (isOwner && !isVisiting && (await findAgencyLink(db, accountId, tokenHash))) || null,
    publicUrl: givenPublicUrl(config) ?? null,
    certificate: ownCertificate(config)?.file ?? null,
    version,
  }
}
