import type { Connection, ConnectionChange, NewConnection } from '@patchbay/contract/app/connections.ts'
import { type By, noteAct } from '../../business/audit/store.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import { type AccountId, type ConnectionId, isId, newId, sayUnknown } from '../../platform/ids.ts'
import type { Outbound } from '../../platform/outbound/client.ts'
import { Refusal } from '../../platform/refusal.ts'
import { whyNotCalled } from './check-address.ts'
import { keyAfter, promptTokensOf } from './provider.ts'
import {
  type ConnectionRow,
  clearTrouble,
  deleteConnection,
  findConnection,
  insertConnection,
  listConnections,
  listUses,
  lockConnection,
  type Use,
  updateConnection,
} from './store.ts'

export type ConnectionCtx = Readonly<{ db: Db; secretKey: Buffer; outbound: Outbound }>

export async function showConnections(db: Db, accountId: AccountId): Promise<Connection[]> {
  const uses = await listUses(db, accountId)
  return (await listConnections(db, accountId)).map((row) => shown(row, uses))
}

export async function showConnection(db: Db, { accountId, id }: ConnectionRow): Promise<Connection> {
  const found = (await showConnections(db, accountId)).find((connection) => connection.id === id)
  return found ?? refuseUnknown(id)
}

/** Refuses an id that is none of the account's connections. */
export async function requireConnection(db: Db, accountId: AccountId, id: string): Promise<ConnectionRow> {
  return (isId('cxn', id) && (await findConnection(db, { accountId, id }))) || refuseUnknown(id)
}

export async function makeConnection(
  ctx: ConnectionCtx,
  accountId: AccountId,
  { given, by }: { given: NewConnection; by: By },
): Promise<Connection> {
  const { name, kind, baseUrl = null, apiKey, model, promptTokens = null } = given
  await checkAddress(ctx.outbound, baseUrl)
  const blank = blankConnection(accountId, { name, kind, url: baseUrl, model })
  const key = keyAfter(ctx.secretKey, { before: blank, after: blank }, apiKey)
  const row = { ...blank, ...key, promptTokens }
  checkWhole(row)
  await ctx.db.transaction().execute(async (tx) => {
    await noteAct(tx, accountId, { act: 'connection made', ...by, details: { name } })
    await insertConnection(tx, row)
  })
  return showConnection(ctx.db, row)
}

/** A connection without a key. */
export function blankConnection(
  accountId: AccountId,
  own: Pick<ConnectionRow, 'name' | 'kind' | 'url' | 'model'>,
): ConnectionRow {
  const id = newId('cxn')
  return { accountId, id, ...own, key: null, sealedFor: id, promptTokens: null, version: 1, lastTry: null }
}

export async function changeConnection(
  ctx: ConnectionCtx,
  accountId: AccountId,
  { id, given, by }: { id: string; given: ConnectionChange; by: By },
): Promise<Connection> {
  const known = await requireConnection(ctx.db, accountId, id)
  await checkAddress(ctx.outbound, given.baseUrl ?? null)
  await ctx.db.transaction().execute(async (tx) => {
    await clearTrouble(tx, known)
    const before = (await lockConnection(tx, known)) ?? refuseUnknown(id)
    if (before.version !== given.version) {
      throw new Refusal('CONFLICT', 'Somebody else has changed this connection meanwhile; nothing was saved.')
    }
    const url = given.baseUrl === undefined ? before.url : given.baseUrl
    const { name = before.name, model = before.model, promptTokens = before.promptTokens } = given
    const key = keyAfter(ctx.secretKey, { before, after: { ...before, url } }, given.apiKey)
    const after = { ...before, name, url, model, promptTokens, ...key }
    checkWhole(after)
    await noteAct(tx, accountId, { act: 'connection changed', ...by, details: { name } })
    await updateConnection(tx, after)
  })
  return showConnection(ctx.db, known)
}

export async function removeConnection(
  db: Db,
  accountId: AccountId,
  { id, by }: { id: string; by: By },
): Promise<void> {
  const known = await requireConnection(db, accountId, id)
  await db.transaction().execute(async (tx) => {
    // Locked before the campaigns are read: none can begin to use it in between.
    const { name } = (await lockConnection(tx, known)) ?? refuseUnknown(id)
    await refuseUsed(tx, known.accountId, known.id)
    await noteAct(tx, accountId, { act: 'connection removed', ...by, details: { name } })
    await deleteConnection(tx, known)
  })
}

async function refuseUsed(tx: Tx, accountId: AccountId, id: ConnectionId): Promise<void> {
  const names = (await listUses(tx, accountId)).filter((use) => use.connectionId === id).map(({ name }) => name)
  if (names.length === 0) return
  throw new Refusal('CONFLICT', `It is used by ${names.join(', ')}; choose another connection there first.`)
}

/** Refuses an address that we may not call. */
async function checkAddress(outbound: Outbound, url: string | null): Promise<void> {
  const reason = url === null ? undefined : await whyNotCalled(outbound, url)
  if (reason !== undefined) throw new Refusal('INVALID_REQUEST', reason)
}

/** The rules that the schema cannot express. */
function checkWhole({ kind, url, key }: ConnectionRow): void {
  if (kind === 'openai-compatible' && url === null) {
    throw new Refusal('INVALID_REQUEST', 'baseUrl is required for a server that speaks the protocol of OpenAI.')
  }
  if (url === null && key === null) {
    throw new Refusal('INVALID_REQUEST', 'apiKey is required for the own address of the vendor.')
  }
}

function refuseUnknown(id: string): never {
  throw new Refusal('NOT_FOUND', sayUnknown('connection', 'cxn', id))
}

function shown(row: ConnectionRow, uses: Use[]): Connection {
  const { id, name, kind, url, key, model, version, lastTry } = row
  const usedBy = uses.filter((use) => use.connectionId === id).map(({ id, name, model }) => ({ id, name, model }))
  const promptTokens = promptTokensOf(row)
  return { id, name, kind, baseUrl: url, hasKey: key !== null, model, promptTokens, version, usedBy, lastTry }
}
