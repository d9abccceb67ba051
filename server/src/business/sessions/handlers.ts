import type { AppRouteName, AppRoutes, PartOf, ReplyOf } from '@patchbay/contract/app/routes.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { By } from '../audit/store.ts'
import type { Session } from './session-store.ts'

/** What a handler gets: what the schemas of its route have checked, and the session that its guard has found. */
type AppRequest<Name extends AppRouteName> = Readonly<{
  params: PartOf<Name, 'params'>
  query: PartOf<Name, 'query'>
  body: PartOf<Name, 'body'>
  session: Session
  by: By & { address: string }
  http: FastifyRequest
  reply: FastifyReply
}>

/** A value as in the contract, but a time may be a `Date`: the serializer writes it as text. */
export type Sendable<Value> = Value extends string
  ? string extends Value
    ? string | Date
    : Value
  : Value extends readonly (infer Item)[]
    ? Sendable<Item>[]
    : Value extends object
      ? { [Field in keyof Value]: Sendable<Value[Field]> }
      : Value

/** A raw route answers by itself; what its handler returns is passed on to Fastify. */
type Handler<Name extends AppRouteName> = (
  request: AppRequest<Name>,
) => Promise<AppRoutes[Name] extends { raw: true } ? unknown : Sendable<ReplyOf<Name>>>

export type Handlers = { [Name in AppRouteName]: Handler<Name> }
