import { asFields, asList, asText, type Fields } from '../common/fields.ts'
import type { Calls, ProviderCall } from '../kind.ts'
import { readAnswer, type TwilioAnswer } from './answer.ts'

type Listed = { items: Fields[]; isAll: boolean } | Exclude<TwilioAnswer, { is: 'ok' }>

/** Of a page: a list of messages with long texts. */
const mostBytes = 4 * 1_048_576

/**
 * The entries of a list, page after page, until there are `enough` or no more. `isAll`: that was so. What an answer calls its next
 * page counts as a path of the same list alone, and goes to where the first page was asked for: so it can lead nowhere else.
 */
export function* readList(
  first: ProviderCall,
  { name, mostPages, enough = () => false }: { name: string; mostPages: number; enough?: (page: Fields[]) => boolean },
): Calls<Listed> {
  const items: Fields[] = []
  let path: string | undefined = first.path
  for (let n = 0; n < mostPages && path !== undefined; n += 1) {
    const answer = readAnswer(yield { ...first, path, mostBytes })
    if (answer.is !== 'ok') return answer
    const page = asList(answer.result[name])
      .map(asFields)
      .filter((one) => one !== undefined)
    items.push(...page)
    const next = nextOf(answer.result)
    if (next === undefined || enough(page)) return { items, isAll: true }
    path = pathOf(next, first.path)
  }
  return { items, isAll: false }
}

function nextOf(result: Fields): string | undefined {
  return asText(result.next_page_uri) || asText(asFields(result.meta)?.next_page_url) || undefined
}

function pathOf(next: string, first: string): string | undefined {
  const url = URL.parse(next, 'https://api.twilio.com')
  return url && url.pathname === first.split('?')[0] ? url.pathname + url.search : undefined
}
