import type { SubaccountDetail } from '@patchbay/contract/app/agency.ts'
import { queryClient, read } from '../data/queries.ts'

export type SubaccountOrder = 'newest' | 'name' | 'balance'

export const subaccountQuery = (accountId: string) =>
  read('GET /api/agency/subaccounts/:accountId', { params: { accountId } })

/** Keeps a sub-account as the answer to a change has it. */
export function keepSubaccount(detail: SubaccountDetail): void {
  queryClient.setQueryData(subaccountQuery(detail.subaccount.id).queryKey, detail)
  void queryClient.invalidateQueries({ queryKey: ['GET /api/agency/subaccounts'] })
}

/** Fetches balances and histories anew, after a movement. */
export function refreshCredits(): void {
  for (const route of ['', '/:accountId', '/:accountId/history']) {
    void queryClient.invalidateQueries({ queryKey: [`GET /api/agency/subaccounts${route}`] })
  }
}
