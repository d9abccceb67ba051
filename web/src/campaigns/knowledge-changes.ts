import { call } from '../data/api.ts'
import { queryClient, read } from '../data/queries.ts'
import { showToast } from '../ui/toast.ts'
import { campaignWords as words } from './words.ts'

/** So many of the questions asked last are tried again after a change. */
const mostTried = 50

/**
 * Makes a change, then says how many of the last unanswered questions are answered now. They are read before: a worker
 * deletes what is answered.
 */
export async function changeAndTell<Saved>(campaignId: string, change: () => Promise<Saved>): Promise<Saved> {
  const questions = await lastUnanswered(campaignId)
  const saved = await change()
  void tell(campaignId, questions)
  return saved
}

async function tell(campaignId: string, questions: string[]): Promise<void> {
  const tried = { params: { campaignId }, body: { questions } }
  const answered =
    questions.length === 0
      ? 0
      : await call('POST /api/campaigns/:campaignId/retry', tried).then(
          (reply) => reply.answered.length,
          () => undefined, // the change is saved all the same
        )
  showToast({ text: answered === undefined ? words.saved : words.taught(answered, questions.length) })
  refreshKnowledge()
}

async function lastUnanswered(campaignId: string): Promise<string[]> {
  const read = queryClient.fetchQuery(unansweredOf(campaignId)).catch(() => ({ groups: [] }))
  const newest = (await read).groups.toSorted((one, other) => (one.lastAt < other.lastAt ? 1 : -1))
  return newest.flatMap(({ questions }) => questions.map(({ question }) => question)).slice(0, mostTried)
}

export const unansweredOf = (campaignId: string) =>
  read('GET /api/campaigns/:campaignId/unanswered', { params: { campaignId } })

/** Fetches knowledge anew, after a change of entries or unanswered questions. */
export function refreshKnowledge(): void {
  for (const part of ['', '/entries', '/unanswered']) {
    void queryClient.invalidateQueries({ queryKey: [`GET /api/campaigns/:campaignId${part}`] })
  }
}
