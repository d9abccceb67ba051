import type { CampaignFile, CampaignSettings } from '@patchbay/contract/campaigns.ts'
import type { ConnectionKind } from '@patchbay/contract/model-connections.ts'
import { noteAct, operator } from '../../business/audit/store.ts'
import type { Tx } from '../../platform/database/db.ts'
import { isId, sayUnknown } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { keyAfter } from '../model-providers/provider.ts'
import { blankConnection } from '../model-providers/save.ts'
import {
  type ConnectionRow,
  findConnection,
  insertConnection,
  listUses,
  lockConnection,
  updateConnection,
} from '../model-providers/store.ts'
import { allSettings, type ReadFile } from './settings.ts'
import type { CampaignRow } from './store.ts'

type ConnectionChoice = { connection: ConnectionRow | undefined; settings: Partial<CampaignSettings> }

/** `was`: the campaign before the change; `before`: with all that the file changes besides the connection. */
type Change = { before: CampaignRow; was: CampaignRow; read: ReadFile }

/** The connection that a campaign has after a change of it, and the settings that follow from it. */
export async function chooseConnection(
  { secretKey }: { secretKey: Buffer },
  tx: Tx,
  change: Change,
): Promise<ConnectionChoice> {
  const { connectionId, provider } = change.read.campaign
  if (connectionId !== undefined && provider !== undefined) {
    throw new Refusal('INVALID_REQUEST', 'Give a connectionId or a provider, not both.')
  }
  if (connectionId !== undefined) return chooseNamed(tx, change, connectionId)
  const { accountId, connectionId: id } = change.was
  const old = id === null ? undefined : await findConnection(tx, { accountId, id })
  const connection = provider ? await describeProvider(tx, { ...change, old, provider, secretKey }) : old
  return { connection, settings: change.before.settings }
}

/** The connection's kind says the engine, and its model is used unless the same change names another one. */
async function chooseNamed(tx: Tx, { before, read }: Change, id: string | null): Promise<ConnectionChoice> {
  const { engine, model = null } = read.settings
  if (id === null) return { connection: undefined, settings: { ...before.settings, engine: engine ?? 'builtin' } }
  const connection = isId('cxn', id) ? await findConnection(tx, { accountId: before.accountId, id }) : undefined
  if (!connection) throw new Refusal('INVALID_REQUEST', sayUnknown('connection', 'cxn', id))
  return { connection, settings: { ...before.settings, engine: engine ?? connection.kind, model } }
}

type ProviderChange = Change & {
  old: ConnectionRow | undefined
  provider: NonNullable<CampaignFile['provider']>
  secretKey: Buffer
}

/**
 * The provider that a campaign file describes. A connection that only this campaign uses is changed; one that others use
 * stays as it is, and this campaign gets its own.
 */
async function describeProvider(
  tx: Tx,
  { before, was, old, provider: { baseUrl, apiKey }, secretKey }: ProviderChange,
): Promise<ConnectionRow | undefined> {
  const { accountId } = before
  const url = baseUrl === undefined ? (old?.url ?? null) : baseUrl
  const { engine, model } = allSettings(before.settings)
  const kind = kindOf(engine === 'builtin' ? old?.kind : engine, url)
  if (old && old.kind === kind && old.url === url && apiKey === undefined) return old
  const blank = blankConnection(accountId, { name: before.name, kind, url, model })
  const from = old ?? blank
  const isShared =
    old && (await listUses(tx, accountId)).some((use) => use.connectionId === old.id && use.id !== was.id)
  const own = isShared ? { ...blank, key: from.key, sealedFor: from.sealedFor } : from
  const after = { ...own, kind, url, model: own.model ?? model }
  const key = keyAfter(secretKey, { before: { ...own, kind: from.kind, url: from.url }, after }, apiKey)
  if (url === null && key.key === null) return undefined
  return save(tx, { ...after, ...key }, { isNew: !old || isShared === true })
}

/** On the built-in engine nothing is called, and what is described is only kept. */
function kindOf(kind: ConnectionKind | undefined, url: string | null): ConnectionKind {
  if (kind !== undefined && (kind !== 'openai-compatible' || url !== null)) return kind
  return url === null ? 'openai' : 'openai-compatible'
}

async function save(tx: Tx, row: ConnectionRow, { isNew }: { isNew: boolean }): Promise<ConnectionRow> {
  const act = isNew ? 'connection made' : 'connection changed'
  await noteAct(tx, row.accountId, { act, ...operator, details: { name: row.name } })
  if (isNew) await insertConnection(tx, row)
  else {
    await lockConnection(tx, row)
    await updateConnection(tx, row)
  }
  return row
}
