import { hash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { DatabaseAddress } from './product.ts'

export type Tenant = {
  accountId: string
  apiKey: string
  email: string
  /** The token of a browser that is signed in. */
  session: string
}

type NewTenant = {
  /** Switches the bot on with these settings; without it the bot is off. */
  campaign?: Record<string, unknown>
  /** URL for replies. */
  receiver?: string
}

export type Tenants = {
  make: (tenant?: NewTenant) => Promise<Tenant>
  campaignOf: (tenant: Tenant) => Promise<string>
  [Symbol.asyncDispose]: () => Promise<void>
}

export type TenantsOptions = { server: string; database: DatabaseAddress; environment: Record<string, string> }

/** Creates accounts with the code of the attacked checkout: as its commands do, but hundreds in a second. */
export async function openTenants({ server, database, environment }: TenantsOptions): Promise<Tenants> {
  const { accounts, keys, ids, defaults, ...code } = await loadProduct(server)
  const config = code.readConfig(environment)
  const db = code.openDb(database, code.openLog('silent').log, 2)
  const outbound = code.openOutbound({ allowed: config.outboundAllowed })
  const ctx = { db, outbound, secretKey: await code.readSecretKey(config) }

  const campaignOf = async ({ accountId }: Tenant) => {
    const rows = db.selectFrom('campaigns').select('id').where('isDefault', '=', true)
    return (await rows.where('accountId', '=', accountId as `acc_${string}`).executeTakeFirstOrThrow()).id
  }

  const newToken = () => randomBytes(32).toString('base64url')

  async function make({ campaign, receiver }: NewTenant = {}): Promise<Tenant> {
    const [accountId, apiKey] = [ids.newId('acc'), keys.newApiKey()]
    const tenant = { accountId, apiKey, email: `${accountId.toLowerCase()}@example.com`, session: newToken() }
    await db.transaction().execute(async (tx) => {
      await accounts.insertAccount(tx, { id: accountId, kind: 'standard', agencyId: null })
      const userId = ids.newId('usr')
      await accounts.insertOwner(tx, { id: userId, accountId, email: tenant.email, passwordHash: 'none' })
      await tx
        .insertInto('sessions')
        .values({ accountId, userId, tokenHash: hash('sha256', tenant.session, 'buffer'), address: null })
        .execute()
      await accounts.replaceKey(tx, accountId, keys.hashApiKey(apiKey))
      await defaults.makeDefaultCampaign(tx, accountId)
      const botActive = campaign !== undefined
      await tx.updateTable('accounts').set({ botActive }).where('id', '=', accountId).execute()
    })
    if (campaign) await code.changeCampaign(ctx, await campaignOf(tenant), campaign)
    if (receiver) await code.setWebhook(ctx, { accountId, receiverId: 'reply' }, { url: receiver })
    return tenant
  }

  return {
    make,
    campaignOf,
    [Symbol.asyncDispose]: async () => {
      await outbound.close()
      await db.destroy()
    },
  }
}

/** The modules that create accounts, from the attacked checkout. */
async function loadProduct(server: string) {
  const load = (file: string) => import(pathToFileURL(join(server, 'server', file)).href)
  const accounts: typeof import('../../server/src/business/accounts/store.ts') = await load(
    'src/business/accounts/store.ts',
  )
  const keys: typeof import('../../server/src/business/accounts/api-key.ts') = await load(
    'src/business/accounts/api-key.ts',
  )
  const ids: typeof import('../../server/src/platform/ids.ts') = await load('src/platform/ids.ts')
  const defaults: typeof import('../../server/src/answers/campaigns/settings.ts') = await load(
    'src/answers/campaigns/settings.ts',
  )
  const { changeCampaign }: typeof import('../../server/src/answers/campaigns/save.ts') = await load(
    'src/answers/campaigns/save.ts',
  )
  const { setWebhook }: typeof import('../../server/src/journey/delivery/transports/webhook/webhooks.ts') = await load(
    'src/journey/delivery/transports/webhook/webhooks.ts',
  )
  const { openDb }: typeof import('../../server/src/platform/database/db.ts') =
    await load('src/platform/database/db.ts')
  const { openLog }: typeof import('../../server/src/platform/log.ts') = await load('src/platform/log.ts')
  const { readConfig }: typeof import('../../server/src/platform/config/config.ts') = await load(
    'src/platform/config/config.ts',
  )
  const { readSecretKey }: typeof import('../../server/src/platform/secrets/secret-key.ts') = await load(
    'src/platform/secrets/secret-key.ts',
  )
  const { openOutbound }: typeof import('../../server/src/platform/outbound/client.ts') = await load(
    'src/platform/outbound/client.ts',
  )
  return {
    accounts,
    keys,
    ids,
    defaults,
    changeCampaign,
    setWebhook,
    openDb,
    openLog,
    readConfig,
    readSecretKey,
    openOutbound,
  }
}
