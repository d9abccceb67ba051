import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Db } from '../../platform/database/db.ts'
import { refusalOf } from '../../platform/http/answer-error.ts'
import type { AccountId } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import type { Hint } from '../../platform/notify/hints.ts'
import { knownCallerOf } from '../accounts/guard.ts'
import { type AnsweredCall, writeCalls } from './store.ts'

/** Calls are gathered so long before they are written, in one statement for all accounts. */
const gatherMs = 1_000
/** The most calls of one account in `gatherMs`. Of more, the refused ones are kept first. */
const mostOfAccount = 20
/** The most accounts in `gatherMs`. */
const mostAccounts = 500

const mostSentence = 500

type PendingCall = Omit<AnsweredCall, 'ageMs' | 'accountId'> & { answeredAt: number }

export type CallLog = {
  /** Is called after every answer of the public API. It only gathers: an answered request costs no write of its own. */
  note: (request: FastifyRequest, reply: FastifyReply) => void
  flush: () => Promise<void>
}

/** Keeps the last calls of every account. Under load it keeps a sample; a call may be missing, and none is kept twice. */
export function openCallLog({ db, hint, log }: { db: Db; hint: Hint; log: Log }): CallLog {
  let gathered = new Map<AccountId, PendingCall[]>()
  let timer: NodeJS.Timeout | undefined

  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const calls = [...gathered].flatMap(([accountId, ofAccount]) =>
      ofAccount.map(({ answeredAt, ...call }) => ({ ...call, accountId, ageMs: performance.now() - answeredAt })),
    )
    const accounts = [...gathered.keys()]
    gathered = new Map()
    if (calls.length === 0) return
    try {
      await writeCalls(db, calls)
      for (const accountId of accounts) hint(accountId, 'calls')
    } catch (error) {
      log.warn({ reason: String(error), calls: calls.length }, 'the last API calls could not be kept')
    }
  }

  return {
    note(request, reply) {
      const accountId = knownCallerOf(request)?.accountId
      if (accountId === undefined) return
      const ofAccount = gathered.get(accountId)
      if (!ofAccount) {
        if (gathered.size < mostAccounts) gathered.set(accountId, [describe(request, reply)])
        timer ??= setTimeout(flush, gatherMs).unref()
        return
      }
      if (ofAccount.length < mostOfAccount) ofAccount.push(describe(request, reply))
      else if (reply.statusCode >= 400) replaceAccepted(ofAccount, describe(request, reply))
    },
    flush,
  }
}

function replaceAccepted(calls: PendingCall[], refused: PendingCall): void {
  const accepted = calls.findIndex(({ status }) => status < 400)
  if (accepted === -1) return
  calls.splice(accepted, 1)
  calls.push(refused)
}

function describe(request: FastifyRequest, reply: FastifyReply): PendingCall {
  const { code, message } = refusalOf(request) ?? {}
  return {
    answeredAt: performance.now(),
    method: request.method,
    path: pathOf(request),
    status: reply.statusCode,
    code: code ?? null,
    sentence: message === undefined ? null : withoutPeople(message).slice(0, mostSentence),
    durationMs: Math.round(reply.elapsedTime),
    requestId: request.id,
  }
}

/** What a sentence of ours gives as an example. */
const example = '+15551234567'

/** A refusal may quote the phone number or the e-mail address that was looked for: of people, nothing is kept here. */
function withoutPeople(sentence: string): string {
  return sentence
    .replace(/[^\s"'<>]+@[^\s"'<>]+/g, '…')
    .replace(/(?<!\w)\+?\(?\d[\d\s().-]{5,}\d/g, (number) => (number === example ? number : '…'))
}

/** The declared path, with our ids in it: whatever else a caller put there, such as a phone number, is not kept. */
function pathOf({ routeOptions, params }: FastifyRequest): string {
  const path = routeOptions.url ?? ''
  if (!path.includes(':')) return path
  return path.replace(/:(\w+)/g, (name, parameter: string) => {
    const value = (params as Record<string, string>)[parameter] ?? ''
    return /^[a-z]{3}_[0-9a-f]{32}$/.test(value) ? value : name
  })
}
