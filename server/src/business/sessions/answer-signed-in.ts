import type { Me } from '@patchbay/contract/app/session.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Config, givenPublicUrl } from '../../platform/config/config.ts'
import { ownCertificate } from '../../platform/https-server/own-certificate.ts'
import type { Hint } from '../../platform/notify/hints.ts'
import { version } from '../../platform/version.ts'
import { signedOut } from './guard.ts'
import type { Sendable } from './handlers.ts'
import { hashToken, readToken, setToken } from './session-cookie.ts'
import { deleteSessionWith } from './session-store.ts'
import type { BegunSession, SessionWithToken, SignInCtx } from './sign-in.ts'
import { findAgencyLink, findAgencyName, findShownAccount, findUser } from './user-store.ts'

export type SessionCtx = SignInCtx &
  Readonly<{ config: Pick<Config, 'publicUrl' | 'namesSet' | 'tlsFiles' | 'dataDir' | 'host'>; hint: Hint }>

/** Gives the browser that sent this request the cookie of its new session. */
export async function answerSignedIn(
  { db, config, share }: Pick<SessionCtx, 'db' | 'config' | 'share'>,
  { token, ...session }: SessionWithToken,
  { http, reply }: { http: FastifyRequest; reply: FastifyReply },
): Promise<Sendable<Me>> {
  return share(session.accountId, async () => {
    const replaced = readToken(http)
    if (replaced !== undefined) await deleteSessionWith(db, hashToken(replaced)) // no page can use it any more
    setToken(reply, token)
    return showMe({ db, config }, session)
  })
}

export async function showMe(
  { db, config }: Pick<SessionCtx, 'db' | 'config'>,
  session: BegunSession,
): Promise<Sendable<Me>> {
  const { accountId, userId, isVisiting, home, tokenHash } = session
  const user = await findUser(db, home)
  if (!user) throw signedOut()
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
