import type { Account } from '@patchbay/contract/app/account.ts'
import type { Db } from '../../platform/database/db.ts'
import { Refusal } from '../../platform/refusal.ts'
import { endAccess, lockAccess } from '../accounts/access-store.ts'
import { makeKey } from '../accounts/credentials.ts'
import { hashPassword } from '../accounts/password.ts'
import { setBotActive } from '../accounts/store.ts'
import { changeTimeZone } from '../accounts/time-zone.ts'
import { noteAct } from '../audit/store.ts'
import { signedOut } from './guard.ts'
import type { Handlers, Sendable } from './handlers.ts'
import { requirePassword } from './require-password.ts'
import { countSessions, isSignedIn, type Session } from './session-store.ts'
import type { SignInThrottle } from './throttle/sign-in-throttle.ts'
import { findShownAccount, findUser, renameAccount, renameUser, setPassword } from './user-store.ts'

type Ctx = Readonly<{ db: Db; rateLimitPerMinute: number; throttle: SignInThrottle }>
type Routes =
  | 'GET /api/account'
  | 'PATCH /api/account'
  | 'PUT /api/account/password'
  | 'POST /api/account/key'
  | 'PUT /api/account/bot'
  | 'PUT /api/account/time-zone'

export function accountHandlers(ctx: Ctx): Pick<Handlers, Routes> {
  const { db } = ctx
  return {
    'GET /api/account': ({ session }) => showAccount(ctx, session),
    'PATCH /api/account': async ({ session, body }) => {
      if (body.name !== undefined && !session.isOwner) {
        throw new Refusal('FORBIDDEN', 'Only the owner of the account may rename the business.')
      }
      if (body.name !== undefined) await renameAccount(db, session.accountId, body.name.trim())
      if (body.userName !== undefined) await renameUser(db, session, body.userName.trim())
      return showAccount(ctx, session)
    },
    'PUT /api/account/password': async ({ session, body, by }) => {
      await requirePassword(ctx, session, { password: body.current, address: by.address })
      const passwordHash = await hashPassword(body.password)
      await db.transaction().execute(async (tx) => {
        await lockAccess(tx, session.accountId)
        // Who was signed out meanwhile, because somebody else changed it, must not change it back.
        if (!(await isSignedIn(tx, session))) throw signedOut()
        await setPassword(tx, session, passwordHash)
        await endAccess(tx, session, session.tokenHash) // whoever knew the old one is signed out
        await noteAct(tx, session.accountId, { act: 'password changed', ...by })
      })
      return { done: true }
    },
    'POST /api/account/key': async ({ session, by }) => ({
      apiKey: await makeKey(db, session.accountId, by),
      createdAt: new Date(),
    }),
    'PUT /api/account/bot': async ({ session, body }) => {
      await setBotActive(db, session.accountId, body.active)
      return showAccount(ctx, session)
    },
    'PUT /api/account/time-zone': async ({ session, body, by }) => {
      await changeTimeZone(db, session.accountId, body.timeZone, by)
      return showAccount(ctx, session)
    },
  }
}

async function showAccount({ db, rateLimitPerMinute }: Ctx, session: Session): Promise<Sendable<Account>> {
  const user = await findUser(db, session.home)
  if (!user) throw signedOut()
  const account = await findShownAccount(db, session.accountId)
  return {
    name: account.name,
    userName: user.name,
    email: user.email,
    key: account.keyMadeAt && { createdAt: account.keyMadeAt },
    rateLimitPerMinute: account.rateLimitPerMinute ?? rateLimitPerMinute,
    botActive: account.botActive,
    timeZone: account.timeZone,
    otherSessions: (await countSessions(db, session.home)) - 1,
  }
}
