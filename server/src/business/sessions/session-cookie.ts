import { hash, randomBytes } from 'node:crypto'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** The prefix makes browsers refuse it from another host, for a path, or without Secure. */
export const sessionCookie = '__Host-patchbay'

/** The cookie lasts as long as a session can. */
const longestSessionDays = 30

const attributes = { path: '/', secure: true, httpOnly: true, sameSite: 'lax' } as const

/** 256 random bits: it cannot be guessed, so a plain hash of it suffices. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

export function readToken({ headers }: FastifyRequest): string | undefined {
  const token = headers.cookie === undefined ? undefined : parseCookie(headers.cookie)[sessionCookie]
  return token !== undefined && /^[\w-]{43}$/.test(token) ? token : undefined
}

export function setToken(reply: FastifyReply, token: string): void {
  const maxAge = longestSessionDays * 86_400
  reply.header('set-cookie', stringifySetCookie({ name: sessionCookie, value: token, maxAge, ...attributes }))
}

export function clearToken(reply: FastifyReply): void {
  reply.header('set-cookie', stringifySetCookie({ name: sessionCookie, value: '', maxAge: 0, ...attributes }))
}
