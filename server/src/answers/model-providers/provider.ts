import { type ConnectionKind, usualPromptTokens } from '@patchbay/contract/model-connections.ts'
import { seal, unseal } from '../../platform/secrets/seal.ts'
import type { ConnectionRow } from './store.ts'

/** Where the model runs, and how it is called. */
export type Provider = {
  kind: ConnectionKind
  /** The base URL of its API; null: the vendor's own. */
  url: string | null
  apiKey: string | null
  /** How much its model is given for one answer. */
  promptTokens: number
}

/** Where a provider without an address of its own is called. */
export const vendorUrls = { openai: 'https://api.openai.com/v1', anthropic: 'https://api.anthropic.com/v1' }

/** Unseals the key. */
export function openProvider(secretKey: Buffer, row: ConnectionRow): Provider {
  const { kind, url, key } = row
  return { kind, url, apiKey: key && unseal(secretKey, key, keyContext(row)), promptTokens: promptTokensOf(row) }
}

export function promptTokensOf({ kind, promptTokens }: Pick<ConnectionRow, 'kind' | 'promptTokens'>): number {
  return promptTokens ?? usualPromptTokens[kind]
}

type Address = Pick<Provider, 'kind' | 'url'>
type KeptKey = Pick<ConnectionRow, 'key' | 'sealedFor'>

/**
 * The key of a connection after a change of it: one that is left out stays, and null deletes it. A key belongs to the
 * address it was given for, so it is never kept for another one.
 */
export function keyAfter(
  secretKey: Buffer,
  { before, after }: { before: ConnectionRow; after: Address },
  apiKey: string | null | undefined,
): KeptKey {
  const { accountId, id, key, sealedFor } = before
  if (apiKey) return { key: seal(secretKey, apiKey, keyContext({ accountId, sealedFor: id })), sealedFor: id }
  const isKept = apiKey === undefined && calledAt(before) === calledAt(after)
  return isKept ? { key, sealedFor } : { key: null, sealedFor: id }
}

function calledAt({ kind, url }: Address): string | null {
  return url ?? (kind === 'openai-compatible' ? null : vendorUrls[kind])
}

/** The key is of the account, whatever the row says: in another account's row it cannot be unsealed. */
const keyContext = ({ accountId, sealedFor }: Pick<ConnectionRow, 'accountId' | 'sealedFor'>) =>
  `${accountId} ${sealedFor} provider`
