import type { Client } from './client.ts'

/** An agency with its sub-accounts, beside the shop. */
export const agency = {
  name: 'Freewheel Studio',
  owner: { name: 'Nadia Brandt', email: 'nadia@freewheel.example', password: 'freewheel-demo' },
  subaccounts: [
    { name: 'Studio Mirador', email: 'ana@mirador.example', grants: ['87'] },
    {
      name: 'Old Market Couriers',
      email: 'dispatch@oldmarket.example',
      grants: ['220.0625'],
      recharge: { threshold: '100', amount: '400' },
    },
    { name: 'Fern & Fold', email: 'hello@fernfold.example', grants: [] },
    { name: 'Harbour Hostel', email: 'stay@harbour.example', grants: ['1500', '404'] },
    {
      name: 'Northside Dental',
      email: 'desk@northside.example',
      grants: ['38.25'],
      recharge: { threshold: '50', amount: '200' },
    },
    {
      name: 'Brook Street Books',
      email: 'shop@brookbooks.example',
      grants: ['500', '250'],
      isReversed: true,
      recharge: { threshold: '200', amount: '500' },
    },
  ] as Sub[],
}

type Sub = {
  name: string
  email: string
  grants: string[]
  recharge?: { threshold: string; amount: string }
  /** The last grant is taken back. */
  isReversed?: boolean
}

/** Makes the sub-accounts and their credits as the agency does in the app. */
export async function fillAgency(client: Client): Promise<void> {
  await client.app('PATCH', '/api/account', { name: agency.name, userName: agency.owner.name })
  for (const sub of agency.subaccounts) {
    const { id } = await client.app('POST', '/api/agency/subaccounts', { name: sub.name, email: sub.email })
    const path = `/api/agency/subaccounts/${id}`
    let movementId = ''
    for (const [n, amount] of sub.grants.entries()) {
      const order = { amount, description: n === 0 ? 'Welcome' : 'Top-up November', idempotencyKey: `demo-${id}-${n}` }
      movementId = (await client.app('POST', `${path}/grants`, order)).movementId
    }
    if (sub.recharge) await client.app('PUT', `${path}/recharge`, sub.recharge)
    if (sub.isReversed) {
      await client.app('POST', `${path}/reversals`, { movementId, description: 'Granted twice by mistake' })
    }
  }
}
