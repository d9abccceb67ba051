/**
 * This folder turns requests into calls of routes and errors into answers: the Fastify app with its hooks, error bodies,
 * 405 and 404, the health routes and the OpenAPI document. Read this file first.
 */
import type { Server } from 'node:https'
import { limits } from '@patchbay/contract/limits.ts'
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import type { App } from '../http-app.ts'
import { clientOf } from '../https-server/client-address.ts'
import { isOverClientLimit, sendContinue } from '../https-server/https-server.ts'
import { checkHead, newRequestId } from '../https-server/request-head.ts'
import { connectionOf, type Handler } from '../https-server/requests-in-flight.ts'
import { type Log, logRequest, type RequestLine } from '../log.ts'
import type { RequestMeter } from '../metrics/request-meter.ts'
import { busy } from '../refusal.ts'
import { acceptJsonOnly } from '../request-body/accept-json.ts'
import { admitBodies } from '../request-body/admit-bodies.ts'
import { endSlowBodies } from '../request-body/slow-bodies.ts'
import { partsOf, readTraceparent } from '../trace-context.ts'
import { answerClientError, answerError, type NoteAnswer } from './answer-error.ts'
import type { HeadersOf } from './browser-headers.ts'
import { compileAtFirstUse } from './compile-schemas.ts'
import { describeViolation } from './describe-violation.ts'
import { trackRoutes } from './known-paths.ts'

type Options = {
  /** Answers a request without a route, or returns false and leaves it to be refused. */
  answerUnknown?: ((request: FastifyRequest, reply: FastifyReply) => boolean) | undefined
  headersOf?: HeadersOf
  meter?: RequestMeter
  /** Who sent a request, for its log line. */
  senderOf?: (request: FastifyRequest) => Pick<RequestLine, 'accountId' | 'client'>
}

/** The app that all routes are added to: strict input, errors in our two shapes, a request id and one log line a request. */
export function createApp(
  log: Log,
  serve: (handler: Handler) => Server,
  { answerUnknown = () => false, headersOf = () => ({}), meter, senderOf = () => ({}) }: Options = {},
): App {
  const note: NoteAnswer = (line) => {
    logRequest(log, line)
    meter?.observe(line)
  }
  const noteStranger = (line: RequestLine) => (isRefusal(line.status) ? meter?.observe(line) : note(line))
  const noteAnswer = (request: FastifyRequest, reply: FastifyReply) => {
    const traceparent = readTraceparent(request.headers.traceparent)
    const traceId = traceparent && partsOf(traceparent).traceId
    const line = { ...answered(request, reply), traceId }
    if (request.routeOptions.config.isOfStrangers) noteStranger(line)
    else note({ ...line, ...senderOf(request) })
  }
  const app: App = Fastify({
    serverFactory: (handler) => serve(handler),
    genReqId: newRequestId,
    requestIdHeader: false,
    logger: false, // a child logger for each request costs more than our one line
    bodyLimit: limits.requestBytes,
    return503OnClosing: false, // requests that have arrived before the stop are answered
    schemaController: { compilersFactory: compileAtFirstUse },
    schemaErrorFormatter: describeViolation,
    routerOptions: { maxParamLength: 16_384 }, // a very long id gets the answer of any unknown id
    frameworkErrors: (error, request, reply) => {
      reply.raw.once('finish', () => noteAnswer(request, reply)) // the hooks do not run for these
      answerError(log, error, { request, reply: reply.headers(headersOf(request.url)) })
    },
    clientErrorHandler: (error, socket) => answerClientError(error, socket, note),
  })
  acceptJsonOnly(app)
  const setBodyDeadline = endSlowBodies(app, answerClientError)
  const refuseUnknown = trackRoutes(app)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).headers(headersOf(request.url))
    connectionOf(request.raw.socket)?.noteFastifyRequest(request)
    setBodyDeadline(request)
    const refusal = checkHead(request.raw) ?? (isOverClientLimit(request.raw) ? busy() : undefined)
    if (refusal || !request.is404) return done(refusal)
    if (!answerUnknown(request, reply)) done(refuseUnknown(request, reply))
  })
  app.addHook('preParsing', admitBodies(bodyOwnerOf(senderOf)))
  // Last of the hooks before the body is read: the key was checked, and a large body was admitted.
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (request.headers.expect !== undefined) sendContinue(reply.raw)
    done(null, payload)
  })
  app.addHook('onResponse', (request, reply, done) => {
    noteAnswer(request, reply)
    done()
  })
  app.setErrorHandler((error, request, reply) => answerError(log, error, { request, reply }))
  return app
}

/** The account, which the route's guard has found by now; on a route without a guard, the client's address: a key there is anybody's word. */
function bodyOwnerOf(senderOf: Required<Options>['senderOf']): (request: FastifyRequest) => string {
  return (request) => {
    const { accountId, client } = senderOf(request)
    return accountId ?? clientOf(client) ?? String(request.raw.socket.remoteAddress)
  }
}

/** The route as declared, never the URL as sent: that may contain a key. */
function answered({ id, method, routeOptions }: FastifyRequest, { statusCode, elapsedTime }: FastifyReply) {
  return { reqId: id, method, route: routeOptions.url ?? 'unknown', status: statusCode, ms: elapsedTime }
}

const isRefusal = (status: number) => status >= 400 && status < 500
