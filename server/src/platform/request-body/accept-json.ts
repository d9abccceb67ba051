import type { FastifyRequest } from 'fastify'
import type { App } from '../http-app.ts'
import { rememberBodyHash } from '../idempotency/idempotency-key.ts'
import { Refusal } from '../refusal.ts'
import { parseJson } from './parse-json.ts'
import { keepRawBody } from './raw-body.ts'

/** Bodies are JSON in UTF-8; any other content type, encoding or charset is refused without parsing. */
export function acceptJsonOnly(app: App): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      checkHeaders(request)
      if (body.length === 0) throw new Refusal('INVALID_JSON', 'The body must be a JSON object; it is empty.')
      rememberBodyHash(request, body)
      keepRawBody(request, body)
      done(null, parseJson(body))
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)))
    }
  })
}

function checkHeaders({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    throw new Refusal('INVALID_REQUEST', 'The body must not be compressed; leave Content-Encoding out.')
  }
  const charset = /;\s*charset\s*=\s*"?([^;"\s]*)/i.exec(headers['content-type'] ?? '')?.[1]
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    throw new Refusal('INVALID_REQUEST', 'The body must be in UTF-8, and Content-Type must not name another charset.')
  }
}
