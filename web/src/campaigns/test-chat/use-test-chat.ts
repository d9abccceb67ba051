import type { TestAnswer } from '@patchbay/contract/app/knowledge.ts'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../data/api.ts'

/** Thresholds that are not saved yet. */
export type Trial = { answerThreshold?: number; offerThreshold?: number; margin?: number }

export type Exchange = { id: number; question: string; answer: TestAnswer | undefined }

/** So many messages before the question are sent along, for a language model. */
const mostHistory = 20

export function useTestChat(campaignId: string, trial: Trial) {
  const [exchanges, setExchanges] = useState<readonly Exchange[]>([])
  const [text, setText] = useState('')
  const asking = useMutation({
    mutationFn: ({ question }: { id: number; question: string }) =>
      call('POST /api/campaigns/:campaignId/ask', {
        params: { campaignId },
        body: { question, trial, history: historyOf(exchanges), offered: exchanges.at(-1)?.answer?.offered ?? [] },
      }),
    onSuccess: (answer, { id }) =>
      setExchanges((all) => all.map((exchange) => (exchange.id === id ? { ...exchange, answer } : exchange))),
  })
  return {
    exchanges,
    text,
    setText,
    isAsking: asking.isPending,
    error: asking.error,
    startOver: () => {
      setExchanges([])
      asking.reset()
    },
    ask: () => {
      const question = text.trim()
      if (question === '' || asking.isPending) return
      const id = (exchanges.at(-1)?.id ?? 0) + 1
      setExchanges([...exchanges, { id, question, answer: undefined }])
      setText('')
      asking.mutate({ id, question })
    },
  }
}

function historyOf(exchanges: readonly Exchange[]) {
  return exchanges
    .flatMap(({ question, answer }) => [
      { by: 'contact' as const, text: question },
      ...(answer?.text ? [{ by: 'bot' as const, text: answer.text }] : []),
    ])
    .slice(-mostHistory)
}
