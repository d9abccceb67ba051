import type { Scoring } from './ranking.ts'

/**
 * Maps a raw score to the scale of the campaign's thresholds, which is the same for every scoring: from 0.5 on it is an
 * answer, from 0.35 on worth an offer.
 */
export function calibrate(raw: number, scoring: Scoring): number {
  const { offer, answer } = scales[scoring]
  if (raw <= 0) return 0
  if (raw < offer) return (raw / offer) * 0.35
  if (raw < answer) return 0.35 + ((raw - offer) / (answer - offer)) * 0.15
  return Math.min(0.5 + ((raw - answer) / (1 - answer)) * 0.5, 1)
}

/** The scales were found with the tuning half of `lab/eval/questions.json`. */
const scales: Record<Scoring, { offer: number; answer: number }> = {
  minilm: { offer: 0.32, answer: 0.46 },
  ngrams: { offer: 0.2, answer: 0.3 },
  words: { offer: 0.22, answer: 0.35 },
}
