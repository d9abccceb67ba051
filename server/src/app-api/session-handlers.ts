import type { Me } from '@patchbay/contract/app/session.ts'
import type { FastifyRequest } from 'fastify'
import type { Config } from '../platform/config/config.ts'
import type { Db } from '../platform/database/db.ts'
import { Refusal } from '../platform/refusal.ts'
import { version } from '../platform/version.ts'
import type { Handlers } from './handlers.ts'
import { clearToken, hashToken, readToken, setToken } from './session-cookie.ts'
import { deleteSession, deleteSessionsOf, deleteSessionWith } from './session-store.ts'
import { signIn } from './sign-in.ts'
import type { SignInThrottle } from './sign-in-throttle.ts'
import { findUser, type UserRef } from './user-store.ts'

type Ctx = Readonly<{
  db: Db
  config: Pick<Config, 'publicUrl'>
  throttle: SignInThrottle
  addressOf: (http: FastifyRequest) => string
}>
type Routes = 'POST /api/session' | 'GET /api/session' | 'DELETE /api/session' | 'DELETE /api/sessions'

export function sessionHandlers({ db, config, throttle, addressOf }: Ctx): Pick<Handlers, Routes> {
  return {
    'POST /api/session': async ({ body, http, reply }) => {
      const { accountId, userId, token } = await signIn({ db, throttle }, body, addressOf(http))
      const replaced = readToken(http)
      if (replaced !== undefined) await deleteSessionWith(db, hashToken(replaced)) // no page can use it any more
      setToken(reply, token)
      return showMe({ db, config }, { accountId, userId })
    },
    'GET /api/session': ({ session }) => showMe({ db, config }, session),
    'DELETE /api/session': async ({ session, reply }) => {
      await deleteSession(db, session)
      clearToken(reply)
      return { done: true }
    },
    'DELETE /api/sessions': async ({ session, reply }) => {
      await deleteSessionsOf(db, session)
      clearToken(reply)
      return { done: true }
    },
  }
}

async function showMe({ db, config }: Pick<Ctx, 'db' | 'config'>, ref: UserRef): Promise<Me> {
  const user = await findUser(db, ref)
  if (!user) throw new Refusal('UNAUTHORIZED', 'You are signed out; sign in again.')
  const { name, email, isOwner, kind, accountName } = user
  return {
    user: { id: ref.userId, name, email, isOwner },
    account: { id: ref.accountId, name: accountName, kind },
    publicUrl: config.publicUrl,
    version,
  }
}
