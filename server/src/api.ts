import type { Server } from 'node:https'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyPluginAsync } from 'fastify'
import type { ApiCtx } from './business/accounts/guard.ts'
import type { Grant } from './business/credits/grant.ts'
import { creditRoutes } from './business/credits/routes.ts'
import { broadcastRoutes } from './journey/broadcasts/routes.ts'
import type { Receive } from './journey/intake/receive.ts'
import { intakeRoutes } from './journey/intake/routes.ts'
import { messageRoutes } from './journey/messages/routes.ts'
import type { Send } from './journey/messages/send.ts'
import { contactRoutes } from './people/contacts/routes.ts'
import { listRoutes } from './people/lists/routes.ts'
import { readOpenApi } from './platform/http/openapi.ts'
import type { App } from './platform/http-app.ts'
import type { Hint } from './platform/notify/hints.ts'

type RoutesCtx = ApiCtx & {
  receive: Receive
  send: Send
  grant: Grant
  hint: Hint
  /** The address of this server. */
  publicUrl: string
}

/** Adds every route of the API, in the order of a message's way through the product. */
export async function addRoutes(app: App, ctx: RoutesCtx): Promise<void> {
  const v1: FastifyPluginAsync<object, Server, TypeBoxTypeProvider> = async (api) => {
    intakeRoutes(api, ctx.requireApiKey, ctx.receive)
    messageRoutes(api, ctx, ctx.send)
    contactRoutes(api, ctx)
    listRoutes(api, ctx)
    broadcastRoutes(api, ctx)
    creditRoutes(api, ctx)
    const openApi = readOpenApi(ctx.publicUrl)
    api.get('/openapi.json', { schema: { hide: true } }, () => openApi)
  }
  await app.register(v1, { prefix: '/v1' })
}
