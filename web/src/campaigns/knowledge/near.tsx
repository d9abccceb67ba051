import { useQuery } from '@tanstack/react-query'
import Info from 'lucide-react/icons/info'
import { useEffect, useState } from 'react'
import { read } from '../../data/queries.ts'
import { entryWords as words } from '../words.ts'

/** How long nothing must be typed before the server is asked. */
const quietMs = 600
/** The score from which on the bot may take one entry for another, unless its own entry is so much ahead. */
const alike = 0.5
const apart = 0.05
const isAlike = (score: number, own: number | null) => score >= alike && (own === null || own - score < apart)

/** Says whether another entry is about the same. */
export function Near({ campaignId, question, entryId }: { campaignId: string; question: string; entryId?: string }) {
  const asked = useQuiet(question.trim())
  const found = useQuery({
    ...read('GET /api/campaigns/:campaignId/near', {
      params: { campaignId },
      query: { question: asked, ...(entryId !== undefined && { entryId }) },
    }),
    enabled: asked !== '',
    retry: false,
  }).data
  const near = found?.near
  if (!near || asked === '') return null
  return (
    <p className="small muted entry-near" role="status">
      <Info className="i i-14" />
      <span>
        {words.near} <b className="strong">{near.question}</b>, <span className="mono">{near.score.toFixed(2)}</span>.{' '}
        {isAlike(near.score, found.own) ? words.nearSame : words.nearFar}
      </span>
    </p>
  )
}

function useQuiet(text: string): string {
  const [quiet, setQuiet] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setQuiet(text), quietMs)
    return () => clearTimeout(timer)
  }, [text])
  return quiet
}
