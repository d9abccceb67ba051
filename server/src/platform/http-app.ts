import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server } from 'node:https'
import type {} from '@fastify/swagger' // its declarations of `hide`, `tags` and the like in a route's schema
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'

/** The Fastify app as every route sees it: over https, with TypeBox schemas as types. */
export type App = FastifyInstance<Server, IncomingMessage, ServerResponse, FastifyBaseLogger, TypeBoxTypeProvider>

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `flat` on the message endpoints: `error` is a string. Elsewhere it is an object with a code and a message. */
    errorShape?: 'flat'
    /**
     * Anybody on the web may ask. It is logged without an address, and not at all where it is refused: what answers counts that.
     */
    isOfStrangers?: true
    /** The body may contain a file, so it has more time to arrive. */
    mayBeLarge?: true
  }
}
