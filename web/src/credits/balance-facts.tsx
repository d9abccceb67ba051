import './credits.css'
import type { CreditDay } from '@patchbay/contract/app/agency.ts'
import { formatCredits } from './amount.ts'
import { creditWords as words } from './words.ts'

/** What there is, what is held, and how long it lasts at the pace of the last days. */
export function BalanceFacts({ balance, held, days }: { balance: number; held: number; days: CreditDay[] }) {
  const first = days.findIndex((day) => day.granted > 0 || day.used > 0 || day.balance > 0)
  const lived = first === -1 ? [] : days.slice(first)
  const aDay = lived.reduce((sum, day) => sum + day.used, 0) / Math.max(1, lived.length)
  return (
    <div className="balance-facts">
      <div>
        <div className="big-number">{formatCredits(balance)}</div>
        <span className="small muted">{words.credits}</span>
      </div>
      <div>
        <div className="mono">{formatCredits(held)}</div>
        <span className="small muted">{words.held}</span>
      </div>
      {aDay >= 0.1 && (
        <div>
          <div className="mono">{words.lasts(Math.floor(balance / aDay))}</div>
          <span className="small muted">{words.pace(formatCredits(Math.round(aDay * 10) / 10))}</span>
        </div>
      )}
    </div>
  )
}
