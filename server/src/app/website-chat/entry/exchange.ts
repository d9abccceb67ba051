import type { ChatError } from '@patchbay/contract/chat/protocol.ts'
import type { FastifyRequest } from 'fastify'
import { answerError } from '../../../platform/http/answer-error.ts'
import type { App } from '../../../platform/http-app.ts'
import type { Log } from '../../../platform/log.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { parseLeniently } from '../../../platform/request-body/parse-json.ts'
import { Refused } from './refused.ts'

const mostDepth = 4

/** Bodies are small. What people type is not refused for a character: it is mended where it is stored. */
export function acceptSmallJson(chat: App): void {
  chat.removeAllContentTypeParsers()
  chat.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    const value = parseLeniently(body)
    if (isObject(value) && !isDeeper(value, mostDepth)) return done(null, value)
    done(new Refusal('INVALID_JSON', `The body must be a JSON object, nested at most ${mostDepth} levels.`))
  })
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth === 0 || Object.values(value).some((one) => isDeeper(one, depth - 1))
}

/** Errors as the chat in the browser reads them: with what it is to do. */
export function answerAsChat(chat: App, log: Log, note: (request: FastifyRequest, error: unknown) => void): void {
  const reasons = new WeakMap<FastifyRequest, ChatError['reason']>()
  chat.setErrorHandler((error, request, reply) => {
    if (error instanceof Refused) reasons.set(request, error.reason)
    note(request, error)
    return answerError(log, error, { request, reply })
  })
  chat.addHook('preSerialization', async (request, _reply, payload) => shapeError(payload, reasons.get(request)))
}

function shapeError(payload: unknown, reason: ChatError['reason']): unknown {
  const error = isObject(payload) && 'error' in payload ? payload.error : undefined
  if (!isObject(error) || !('code' in error) || !('message' in error)) return payload
  return { error: error.code, message: error.message, ...(reason && { reason }) }
}
