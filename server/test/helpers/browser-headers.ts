import assert from 'node:assert/strict'
import type { IncomingHttpHeaders } from 'node:http'

/** That nothing in an answer runs in our origin, is shown in a frame or taken for another type, and its address is kept. */
export function assertProtected(headers: IncomingHttpHeaders, label: string): void {
  const policy = String(headers['content-security-policy'])
  for (const part of ["default-src 'none'", "frame-ancestors 'none'"]) assert.ok(policy.includes(part), label)
  assert.doesNotMatch(policy, /unsafe|\*|data:|blob:|http/, label)
  assert.equal(headers['x-content-type-options'], 'nosniff', label)
  assert.equal(headers['referrer-policy'], 'no-referrer', label)
  assert.equal(headers['cross-origin-resource-policy'], 'same-origin', label)
  assert.ok(headers['cache-control'], label)
}
