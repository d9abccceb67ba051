import type { Guards } from './business/accounts/guard.ts'
import { registerApiRoutes } from './business/accounts/register.ts'
import { creditApiHandlers } from './business/credits/api-handlers.ts'
import type { Grant } from './business/credits/grant.ts'
import { broadcastApiHandlers } from './journey/broadcasts/api-handlers.ts'
import { intakeApiHandlers } from './journey/intake/api-handlers.ts'
import type { Receive } from './journey/intake/receive.ts'
import { messageApiHandlers } from './journey/messages/api-handlers.ts'
import type { Send } from './journey/messages/send.ts'
import { contactApiHandlers } from './people/contacts/api-handlers.ts'
import { listApiHandlers } from './people/lists/api-handlers.ts'
import type { Db } from './platform/database/db.ts'
import type { FairShare } from './platform/database/fair-share.ts'
import { readOpenApi } from './platform/http/openapi.ts'
import type { App } from './platform/http-app.ts'
import type { Hint } from './platform/notify/hints.ts'

/** The dependencies of the public API. `share` bounds how many connections of `db` one account may use. */
type ApiCtx = Readonly<{
  guards: Guards
  db: Db
  share: FairShare
  secretKey: Buffer
  receive: Receive
  send: Send
  grant: Grant
  hint: Hint
  /** The address of this server. */
  publicUrl: string
}>

/** Adds every route of the public API, in the order of the contract. */
export function addApiRoutes(app: App, ctx: ApiCtx): void {
  registerApiRoutes(app, ctx, {
    ...intakeApiHandlers(ctx),
    ...messageApiHandlers(ctx),
    ...contactApiHandlers(ctx),
    ...listApiHandlers(ctx),
    ...broadcastApiHandlers(ctx),
    ...creditApiHandlers(ctx),
  })
  const openApi = readOpenApi(ctx.publicUrl)
  app.get('/v1/openapi.json', { schema: { hide: true } }, () => openApi)
}
