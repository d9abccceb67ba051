import { fork } from 'node:child_process'
import { once } from 'node:events'
import { sql } from 'kysely'
import { pino } from 'pino'
import type { Turn } from '../../src/business/credits/hold-store.ts'
import { chargeHold, holdPrice, releaseHold } from '../../src/business/credits/spend.ts'
import { type DatabaseAddress, type Db, openDb } from '../../src/platform/database/db.ts'
import { type AccountId, newId } from '../../src/platform/ids.ts'

/** Sent after each committed charge. */
export type Charge = { accountId: AccountId; contactId: string; fromSeq: string; charged: number; balance: number }

export type Spender = { kill: () => Promise<void> }

/**
 * A process that uses credits as bots do, many at once, until it is killed: creates a turn or takes over one of a killed
 * process, holds its price, then charges or releases it.
 */
export function startSpender(
  address: DatabaseAddress,
  accounts: AccountId[],
  onCharge: (charge: Charge) => void,
): Spender {
  const child = fork(import.meta.filename, [JSON.stringify({ address, accounts })])
  child.on('message', (message) => onCharge(message as Charge)) // the only message it sends
  return {
    kill: async () => {
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    },
  }
}

if (import.meta.main) {
  const { address, accounts }: { address: DatabaseAddress; accounts: AccountId[] } = JSON.parse(process.argv[2] ?? '')
  const db = openDb(address, pino({ enabled: false }), 5)
  process.on('disconnect', () => process.exit())
  const spendOn = async () => {
    for (;;) await spend(db, accounts)
  }
  await Promise.all(Array.from({ length: 5 }, spendOn))
}

async function spend(db: Db, accounts: AccountId[]): Promise<void> {
  const turn = (Math.random() < 0.3 && (await takeOver(db))) || (await owe(db, pick(accounts)))
  const price = pick([0.0001, 0.5, 4, 9])
  const outcome = await holdPrice(db, { ...turn, price })
  if (outcome === 'gone') return
  const settled = await db.transaction().execute(async (tx) => {
    const { rows } = await sql`
      delete from turns
      where account_id = ${turn.accountId} and contact_id = ${turn.contactId} and from_seq = ${turn.fromSeq}
      returning account_id
    `.execute(tx)
    if (rows.length === 0) return undefined // another process has settled it
    if (outcome === 'held' && Math.random() < 0.7) return chargeHold(tx, turn)
    await releaseHold(tx, turn)
    return undefined
  })
  if (settled) process.send?.({ ...turn, charged: settled.charged, balance: settled.balance })
}

async function owe(db: Db, accountId: AccountId): Promise<Turn> {
  const turn = { accountId, contactId: newId('con'), fromSeq: '1' }
  await db
    .insertInto('turns')
    .values({ ...turn, lastSeq: '1', dueAt: new Date() })
    .execute()
  return turn
}

async function takeOver(db: Db): Promise<Turn | undefined> {
  const { rows } = await sql<Turn>`
    select account_id, contact_id, from_seq from turns order by random() limit 1
  `.execute(db)
  return rows[0]
}

function pick<Item>(items: Item[]): Item {
  return items[Math.floor(Math.random() * items.length)] as Item // never empty
}
