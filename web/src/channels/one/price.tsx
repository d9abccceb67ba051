import type { Channel } from '@patchbay/contract/app/channels.ts'
import { useQuery } from '@tanstack/react-query'
import { formatCredits } from '../../credits/amount.ts'
import { read } from '../../data/queries.ts'
import { LimitRow, LimitTable } from './limits.tsx'
import { oneWords as words } from './words.ts'

/** What a message over the channel costs, where an agency says what things cost. */
export function Price({ channel: { creditsPerMessage } }: { channel: Channel }) {
  const { data: me } = useQuery(read('GET /api/session'))
  if (me?.account.kind !== 'subaccount') return null
  return (
    <section className="stack stack-3" aria-label={words.price}>
      <h2 className="h-section">{words.price}</h2>
      <LimitTable label={words.price}>
        <LimitRow name={words.aMessage} value={words.credits(formatCredits(creditsPerMessage))}>
          {words.priceSays}
        </LimitRow>
      </LimitTable>
    </section>
  )
}
