import type { Server } from 'node:https'
import swagger from '@fastify/swagger'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyPluginAsync } from 'fastify'
import type { ApiCtx } from './accounts/guard.ts'
import { contactRoutes } from './contacts/routes.ts'
import type { Grant } from './credits/grant.ts'
import { creditRoutes } from './credits/routes.ts'
import type { Receive } from './intake/receive.ts'
import { intakeRoutes } from './intake/routes.ts'
import { listRoutes } from './lists/routes.ts'
import { messageRoutes } from './messages/routes.ts'
import type { Send } from './messages/send.ts'
import { anyServer, finishOpenApi } from './platform/http/finish-openapi.ts'
import { openApiDocument } from './platform/http/openapi.ts'
import type { App } from './platform/http-app.ts'

type RoutesCtx = ApiCtx & {
  receive: Receive
  send: Send
  grant: Grant
  /** The address of this server; undefined where the OpenAPI document is generated as a file. */
  publicUrl?: string | undefined
}

/** Adds every route of the API, in the order of a message's way through the product. */
export async function addRoutes(app: App, ctx: RoutesCtx): Promise<void> {
  const v1: FastifyPluginAsync<object, Server, TypeBoxTypeProvider> = async (api) => {
    await api.register(swagger, openApiDocument)
    intakeRoutes(api, ctx.requireApiKey, ctx.receive)
    messageRoutes(api, ctx, ctx.send)
    contactRoutes(api, ctx)
    listRoutes(api, ctx)
    creditRoutes(api, ctx.requireHeaderKey, ctx.grant)
    const servers = ctx.publicUrl === undefined ? anyServer : [{ url: `${ctx.publicUrl}/v1` }]
    api.get('/openapi.json', { schema: { hide: true } }, () => finishOpenApi(api.swagger(), servers))
  }
  await app.register(v1, { prefix: '/v1' })
}
