import { Pool } from 'pg'
import { hashApiKey, newApiKey } from '../../server/src/business/accounts/api-key.ts'
import { hashToken, newToken } from '../../server/src/business/sessions/session-cookie.ts'
import { newId } from '../../server/src/platform/ids.ts'
import { change, openBrowser } from './browser.ts'
import type { Product } from './product.ts'

export type Tenant = {
  accountId: string
  /** Of its only campaign. */
  campaignId: string
  apiKey: string
  /** The token of a browser that is signed in. */
  session: string
}

type NewTenant = {
  /** Switches the bot on with these settings; without it the bot is off. */
  campaign?: Record<string, unknown>
  /** URL for replies. */
  receiver?: string
}

type Tenants = {
  make: (tenant?: NewTenant) => Promise<Tenant>
  [Symbol.asyncDispose]: () => Promise<void>
}

/**
 * Creates accounts, hundreds in a second. The attacked checkout may be of another version, whose files have other
 * places: none is loaded. Rows are inserted as its commands do, and its server is asked for what takes a secret.
 */
export function openTenants({ port, database }: Pick<Product, 'port' | 'database'>): Tenants {
  const pool = new Pool({ ...database, max: 2 })
  pool.on('error', () => {}) // the database may be killed
  return {
    make: async ({ campaign, receiver } = {}) => {
      const [accountId, campaignId] = [newId('acc'), newId('cmp')]
      const tenant = { accountId, campaignId, apiKey: newApiKey(), session: newToken() }
      const hashes = [hashToken(tenant.session), hashApiKey(tenant.apiKey)]
      const user = [newId('usr'), `${accountId}@example.com`]
      const settings = JSON.stringify({ ...texts, ...campaign })
      await pool.query(insertTenant, [accountId, campaign !== undefined, ...user, ...hashes, campaignId, settings])
      if (receiver !== undefined) await saveReceiver(port, tenant, receiver)
      return tenant
    },
    [Symbol.asyncDispose]: () => pool.end(),
  }
}

/** What the bot says in a campaign that names nothing else, as in that of a new account. */
const texts = {
  greetingText: 'Hello! How can I help you?',
  thanksText: 'You are welcome!',
  fallbackText: 'I do not have an answer to that yet. Could you put it another way?',
  handoverText: 'Thank you. A person will answer you here as soon as possible.',
}

const insertTenant = `
  with account as (
    insert into accounts (id, kind, bot_active) values ($1, 'standard', $2)
  ), holder as (
    insert into users (id, account_id, email, password_hash, is_owner, is_holder)
    values ($3, $1, $4, 'none', true, true)
  ), browser as (
    insert into sessions (token_hash, account_id, user_id) values ($5, $1, $3)
  ), api_key as (
    insert into api_keys (account_id, key_hash) values ($1, $6)
  )
  insert into campaigns (account_id, id, name, status, is_default, settings)
  values ($1, $7, 'Default', 'live', true, $8)`

async function saveReceiver(port: number, { session }: Tenant, url: string): Promise<void> {
  using browser = openBrowser(port, session)
  await change(browser, 'PUT', '/api/webhook', { url })
}
