import './meter.css'
import type { CSSProperties } from 'react'
import { uiWords } from './words.ts'

/** A score on the scale of the thresholds; the two marks are offer and answer. The number stands beside it. */
export function Meter({ score, offer, answer }: { score: number; offer: number; answer: number }) {
  const kind = score >= answer ? 'answer' : score >= offer ? 'offer' : 'miss'
  const style = { '--v': Math.min(1, Math.max(0, score)), '--offer': offer, '--answer': answer } as CSSProperties
  return (
    <span className={`meter ${kind}`} style={style} role="img" aria-label={uiWords.score(score.toFixed(2))}>
      <i />
      <i />
    </span>
  )
}
