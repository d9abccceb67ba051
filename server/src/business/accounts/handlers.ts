import type { ApiPartOf, ApiReplyOf, ApiRouteName } from '@patchbay/contract/api/routes.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from './key-lookup.ts'

/** What a handler gets: what the schemas of its route have checked, and whose key its guard has found. */
type ApiRequest<Name extends ApiRouteName> = Readonly<{
  params: ApiPartOf<Name, 'params'>
  query: ApiPartOf<Name, 'query'>
  body: ApiPartOf<Name, 'body'>
  caller: Caller
  http: FastifyRequest
  /** The reply, for another status than the usual one. */
  reply: FastifyReply
}>

export type ApiHandlers = { [Name in ApiRouteName]: (request: ApiRequest<Name>) => Promise<ApiReplyOf<Name>> }
