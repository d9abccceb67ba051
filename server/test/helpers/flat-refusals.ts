import assert from 'node:assert/strict'
import type { Answer } from './harness.ts'

/** A refusal of the message endpoints: a sentence, a request id, and nothing more. */
export function assertFlat(answer: Answer, status: number, { says = /./, label = '' } = {}): void {
  const { headers, body } = answer
  const seen = `${label} -> ${answer.status} ${JSON.stringify(body)}`
  assert.equal(answer.status, status, seen)
  assert.deepEqual(Object.keys(body ?? {}), ['error'], seen)
  assert.equal(typeof body.error, 'string', seen)
  assert.match(body.error, says, seen)
  assert.match(body.error, /^\S.*\.$/, `${seen}: a sentence`)
  assert.match(String(headers['x-request-id']), /^req_/, seen)
  assert.match(String(headers['content-type']), /^application\/json/, seen)
}
