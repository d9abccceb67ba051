import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import { FlatError, GeneralError } from '@patchbay/contract/errors.ts'
import { version } from '../version.ts'

/** The refusals every endpoint with the general error shape may answer. */
export const errorAnswers = {
  400: { ...GeneralError, description: 'The request is not valid; the message names the field.' },
  401: { ...GeneralError, description: 'The API key is missing or not valid.' },
  404: { ...GeneralError, description: 'Not found in this account.' },
  405: { ...GeneralError, description: 'Not with this method.' },
  413: { ...GeneralError, description: 'The request is too large.' },
  429: { ...GeneralError, description: 'Too many requests, or we are busy; wait for the seconds in Retry-After.' },
  500: { ...GeneralError, description: 'Something went wrong on our side.' },
}

/** The same for the message endpoints, where `error` is a string. */
export const flatErrorAnswers = Object.fromEntries(
  Object.entries(errorAnswers).map(([status, { description }]) => [status, { ...FlatError, description }]),
)

/** The parts of the OpenAPI document that are not about a route; paths and fields come from the routes' own schemas. */
export const openApiDocument: FastifyDynamicSwaggerOptions = {
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'Patchbay',
      description:
        'Contacts, lists, messages of custom channels, and credits of sub-accounts. The events that this service posts to you are under webhooks; docs/webhooks.md tells how to verify them.',
      version,
      contact: { name: 'The operator of this installation' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    security: [{ header: [] }, { query: [] }],
    tags: [
      { name: 'Messages', description: 'Messages of custom channels, in both directions.' },
      { name: 'Contacts', description: 'The people that are written to.' },
      { name: 'Lists', description: 'Groups of contacts.' },
      { name: 'Credits', description: 'Credits of the sub-accounts of an agency.' },
      { name: 'Events', description: 'What this service posts to the addresses that you have saved.' },
    ],
    components: {
      securitySchemes: {
        header: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'Keeps the key out of logs.' },
        query: { type: 'apiKey', in: 'query', name: 'apiKey', description: 'Not on `/subaccounts/credits`.' },
      },
    },
  },
}
