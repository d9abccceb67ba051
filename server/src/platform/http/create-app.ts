import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server } from 'node:https'
import { limits } from '@patchbay/contract/limits.ts'
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import type { App } from '../http-app.ts'
import { askForBody, isOverShare } from '../https-server/https-server.ts'
import { checkHead } from '../https-server/request-head.ts'
import { newRequestId } from '../https-server/request-id.ts'
import { connectionOf } from '../https-server/requests-in-flight.ts'
import { type Log, logRequest } from '../log.ts'
import { busy } from '../refusal.ts'
import { acceptJsonOnly } from '../request-body/accept-json.ts'
import { admitBodies } from '../request-body/admit-bodies.ts'
import { endSlowBodies } from '../request-body/slow-bodies.ts'
import { answerClientError, answerError } from './answer-error.ts'
import { describeViolation } from './describe-violation.ts'
import { watchRoutes } from './known-paths.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** What every route stands on: strict input, errors in our two shapes, a request id and one log line a request. */
export function createApp(log: Log, serve: (handler: Handler) => Server): App {
  const app: App = Fastify({
    serverFactory: (handler) => serve(handler),
    genReqId: newRequestId,
    requestIdHeader: false,
    logger: false, // a child logger for each request costs more than our one line
    bodyLimit: limits.requestBytes,
    return503OnClosing: false, // while we stop, what has already arrived is answered
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false, allowUnionTypes: true } },
    schemaErrorFormatter: describeViolation,
    routerOptions: { maxParamLength: 16_384 }, // an id of any length is unknown, and no reason to be short with its caller
    frameworkErrors: (error, request, reply) => {
      reply.raw.once('finish', () => logRequest(log, requestLine(request, reply))) // the hooks do not run for these
      answerError(log, error, { request, reply })
    },
    clientErrorHandler: (error, socket) => answerClientError(error, socket, log),
  })
  acceptJsonOnly(app)
  const giveBodyTime = endSlowBodies(app, answerClientError)
  const refuseUnknown = watchRoutes(app)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    connectionOf(request.raw.socket)?.noteServing(request)
    giveBodyTime(request)
    const unknown = request.is404 ? refuseUnknown(request, reply) : undefined
    done(checkHead(request.raw) ?? (isOverShare(request.raw) ? busy() : unknown))
  })
  app.addHook('preParsing', admitBodies(keyOf))
  // By now the key was looked at, and a large body has been let in.
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (request.headers.expect !== undefined) askForBody(reply.raw)
    done(null, payload)
  })
  app.addHook('onResponse', (request, reply, done) => {
    logRequest(log, requestLine(request, reply))
    done()
  })
  app.setErrorHandler((error, request, reply) => answerError(log, error, { request, reply }))
  return app
}

/** By now it is known to be one; where none is asked for, the address stands for its sender. */
function keyOf({ headers, query, raw }: FastifyRequest): string {
  const { apiKey } = query as { apiKey?: unknown } // parsed from the address, not by a schema
  return String(headers['x-api-key'] ?? apiKey ?? raw.socket.remoteAddress)
}

/** The route as it is declared, never the address as it came: that may carry a key. */
function requestLine({ id, method, routeOptions }: FastifyRequest, { statusCode, elapsedTime }: FastifyReply) {
  return { reqId: id, method, route: routeOptions.url ?? 'unknown', status: statusCode, ms: elapsedTime }
}
