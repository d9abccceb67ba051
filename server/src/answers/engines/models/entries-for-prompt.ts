import type { RankedEntry } from '../../knowledge/search/ranking.ts'
import type { Retrieval } from '../../knowledge/search/retrieval.ts'
import type { TurnInput } from '../common/engine.ts'

/** No token of ours is longer, so that more characters never fit into a prompt. */
const mostCharactersPerToken = 4
/** The shortest entry with its id and its labels. */
const leastTokensPerEntry = 8

/**
 * The entries that a prompt of so many tokens may have room for, best first, however far they are from the question: the
 * model judges that better than a score. A question such as "and on Sundays?" is understood together with the one before
 * it, so an entry counts by the nearer of the two.
 */
export async function entriesForPrompt(retrieval: Retrieval, input: TurnInput, tokens: number): Promise<RankedEntry[]> {
  const { campaign, settings } = input
  const limit = {
    entries: Math.ceil(tokens / leastTokensPerEntry),
    characters: tokens * mostCharactersPerToken,
  }
  const rankings = await Promise.all(
    questionsOf(input).map((question) => retrieval.rank(campaign, question, settings.language, limit)),
  )
  const best = new Map<string, RankedEntry>()
  for (const entry of rankings.flatMap(({ entries }) => entries)) {
    const known = best.get(entry.entryId)
    if (!known || known.score < entry.score) best.set(entry.entryId, entry)
  }
  return [...best.values()].sort((one, other) => other.score - one.score)
}

function questionsOf({ text, history }: TurnInput): string[] {
  const before = history.findLast(({ by, kind }) => by === 'contact' && kind === 'text')
  return before ? [text, `${text}\n${before.text}`] : [text]
}
