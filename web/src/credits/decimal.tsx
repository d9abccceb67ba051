import './credits.css'
import { formatCredits } from './amount.ts'

/** An amount that is aligned on its decimal point with those above and below it. */
export function Decimal({ credits }: { credits: number }) {
  const [whole, fraction] = formatCredits(credits).split('.')
  return (
    <span className="dec">
      {whole}
      <i>{fraction && `.${fraction}`}</i>
    </span>
  )
}
