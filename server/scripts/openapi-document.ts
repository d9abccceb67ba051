import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import { version } from '../src/platform/version.ts'

/** The refusals that every endpoint may answer. */
export const refusals = {
  400: 'The request is not valid; the message names the field.',
  401: 'The API key is missing or not valid.',
  404: 'Not found in this account.',
  405: 'Not with this method.',
  413: 'The request is too large.',
  429: 'Too many requests, or we are busy; wait for the seconds in Retry-After.',
  500: 'Something went wrong on our side.',
}

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
      { name: 'Broadcasts', description: 'One message to every contact on a list.' },
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
