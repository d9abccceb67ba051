import './credits.css'
import type { CreditDay } from '@patchbay/contract/app/agency.ts'
import { creditWords as words } from '../words/credits.ts'
import { sayCredits } from './amount.ts'

/** What there is, what is held, and how long it lasts at the pace of the last days. */
export function BalanceFacts({ balance, held, days }: { balance: number; held: number; days: CreditDay[] }) {
  const used = days.reduce((sum, day) => sum + day.used, 0)
  const aDay = used / Math.max(1, days.length)
  return (
    <div className="balance-facts">
      <div>
        <div className="big-number">{sayCredits(balance)}</div>
        <span className="small muted">{words.credits}</span>
      </div>
      <div>
        <div className="mono">{sayCredits(held)}</div>
        <span className="small muted">{words.held}</span>
      </div>
      {aDay > 0 && (
        <div>
          <div className="mono">{words.lasts(Math.floor(balance / aDay))}</div>
          <span className="small muted">{words.pace(sayCredits(Math.round(aDay * 10) / 10))}</span>
        </div>
      )}
    </div>
  )
}
