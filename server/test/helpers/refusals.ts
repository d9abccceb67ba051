import assert from 'node:assert/strict'
import { type ErrorCode, statusOf } from '@patchbay/contract/errors.ts'
import type { Answer } from './harness.ts'

/** A refusal in the general shape: its code, the status of that code, a sentence, a request id, and nothing more. */
export function assertRefused(answer: Answer, code: ErrorCode, { says = /./, label = '' } = {}): void {
  const { status, headers, body } = answer
  const seen = `${label} -> ${status} ${JSON.stringify(body)}`
  assert.equal(body?.error?.code, code, seen)
  assert.equal(status, statusOf[code], seen)
  assert.deepEqual([Object.keys(body), Object.keys(body.error)], [['error'], ['code', 'message']], seen)
  assert.match(body.error.message, says, seen)
  assert.match(String(headers['x-request-id']), /^req_/, seen)
  assert.match(String(headers['content-type']), /^application\/json/, seen)
}
