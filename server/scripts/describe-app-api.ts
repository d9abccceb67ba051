import type { AppRoute } from '@patchbay/contract/app/route.ts'
import { type AppRouteName, appRoutes } from '@patchbay/contract/app/routes.ts'
import { AppError } from '@patchbay/contract/error-bodies.ts'
import type { TSchema } from 'typebox'
import { sessionCookie } from '../src/business/sessions/session-cookie.ts'
import { version } from '../src/platform/version.ts'

type Json = Record<string, unknown>

/** The OpenAPI document of the app's own API, from the table of its routes. */
export function describeAppApi(): string {
  const paths: Record<string, Json> = {}
  for (const name of Object.keys(appRoutes) as AppRouteName[]) {
    const [method = '', url = ''] = name.split(' ')
    const path = url.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(name, appRoutes[name]) }
  }
  return `${JSON.stringify({ ...about, paths, components }, withNullType, 2)}\n`
}

/** The serializer reads `nullable`, which OpenAPI 3.1 no longer has. */
function withNullType(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('nullable' in value)) return value
  const { nullable, type, ...rest } = value as Json
  return { type: [type, 'null'], ...rest }
}

const about = {
  openapi: '3.1.0',
  info: {
    title: "Patchbay: the app's own API",
    description:
      'What the app in the browser calls. It changes with the app, without notice: integrations use the public API under /v1. Requests that change something must come from the same origin.',
    version,
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: '/', description: 'The server that serves the app.' }],
  security: [{ session: [] }],
}

const components = {
  schemas: { Error: AppError },
  securitySchemes: {
    session: { type: 'apiKey', in: 'cookie', name: sessionCookie, description: 'Set by POST /api/session.' },
  },
}

function operation(name: string, { guard, summary, params, query, body, reply, raw, ...more }: AppRoute): Json {
  const parameters = [...parametersOf('path', params), ...parametersOf('query', query)]
  return {
    operationId: operationId(name),
    tags: [name.split('/')[2]],
    summary,
    description: [
      mayCall[guard],
      ...(more.notVisiting ? ['Not for an agency that visits the account.'] : []),
      ...(more.callsOut ? ['It calls somebody, so only a few times a minute.'] : []),
    ].join(' '),
    ...(guard === 'anyone' && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: json(body) } }),
    responses: {
      200: { description: 'Done.', ...(!raw && reply && { content: json(reply) }) },
      default: { description: 'Refused; see docs/errors.md.', content: json({ $ref: '#/components/schemas/Error' }) },
    },
  }
}

const mayCall = {
  anyone: 'Without a session.',
  manager: 'For owners, and members whom an owner lets manage.',
  member: 'Every user of the account.',
  owner: 'Owners of the account only.',
  agency: 'Owners of an agency only.',
  subaccount: 'Owners of a sub-account only.',
}

/** `GET /api/lists/:listId` is `getListsByListId`. */
function operationId(name: string): string {
  const [method = '', url = ''] = name.split(' ')
  const words = url.slice('/api/'.length).replaceAll('/:', '/by-').split(/\W+/)
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

function parametersOf(place: 'path' | 'query', schema: TSchema | undefined): Json[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...field }]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema: field,
  }))
}

function json(schema: object): Json {
  return { 'application/json': { schema } }
}
