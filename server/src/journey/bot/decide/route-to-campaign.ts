import type { CampaignSettings } from '@patchbay/contract/campaigns.ts'
import type { CampaignRow } from '../../../answers/campaigns/store.ts'

export type Campaign = Omit<CampaignRow, 'settings'> & { settings: CampaignSettings; knowledgeVersion?: number }

/** How the campaign was found; `unknown_campaign`: the caller named one that does not exist, and another was found. */
type Routing = 'explicit' | 'keyword' | 'assigned' | 'default' | 'none' | 'unknown_campaign'

/** `assigns`: the conversation keeps the campaign. A default is not kept: a keyword may still route elsewhere. */
export type Route = { campaign: Campaign | undefined; routing: Routing; assigns: boolean }

export type RouteInput = {
  /** The campaign that the caller named, if any. */
  named: string | null
  /** The campaign that the conversation has. */
  assigned: string | null
  channel: string
  text: string
}

/**
 * Finds the campaign that answers: the one that the caller named, else by keyword, else the conversation's, else the
 * default. A named campaign is found even when it is not live: then nobody answers, on purpose.
 */
export function routeToCampaign(campaigns: Campaign[], { named, assigned, channel, text }: RouteInput): Route {
  const explicit = campaigns.find(({ id }) => id === named)
  if (explicit) return { campaign: explicit, routing: 'explicit', assigns: true }
  const live = campaigns.filter(({ status }) => status === 'live')
  const current = live.find(({ id }) => id === assigned)
  const found = byKeyword(live, { channel, text, current }) ?? byDefault(live, { channel, current })
  return named === null ? found : { ...found, routing: 'unknown_campaign' }
}

type RouteContext = { channel: string; current: Campaign | undefined }

function byDefault(live: Campaign[], { channel, current }: RouteContext): Route {
  if (current) return { campaign: current, routing: 'assigned', assigns: false }
  const campaign = live.find((one) => one.isDefault && answersOn(one, channel))
  return { campaign, routing: campaign ? 'default' : 'none', assigns: false }
}

function answersOn({ settings: { channels } }: Campaign, channel: string): boolean {
  return channels === null || channels.some((label) => normalize(label) === normalize(channel))
}

type Match = { campaign: Campaign; strength: number; length: number }

function byKeyword(live: Campaign[], { channel, text, current }: RouteContext & { text: string }): Route | undefined {
  const words = normalize(text)
  const matches = live
    .filter((one) => answersOn(one, channel) && (!current || current === one || one.settings.keywordsTakeOver))
    .flatMap((campaign) => matchesOf(campaign, words))
    .sort(
      (one, other) =>
        other.strength - one.strength ||
        other.campaign.settings.priority - one.campaign.settings.priority ||
        other.length - one.length,
    ) // the campaigns come oldest first, and sorting keeps that order among equals
  return matches[0] && { campaign: matches[0].campaign, routing: 'keyword', assigns: true }
}

const strengthOf = { exact: 3, word: 2, contains: 1 } as const

function matchesOf(campaign: Campaign, words: string): Match[] {
  return campaign.settings.keywords.flatMap(({ text, match }) => {
    const keyword = normalize(text)
    const isFound =
      match === 'exact'
        ? words === keyword
        : match === 'word'
          ? ` ${words.replace(/[^\p{L}\p{N}]+/gu, ' ')} `.includes(
              ` ${keyword.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()} `,
            )
          : words.includes(keyword)
    return isFound && keyword !== '' ? [{ campaign, strength: strengthOf[match], length: keyword.length }] : []
  })
}

/** The text in lower case, accents off, spaces merged. */
function normalize(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim()
}
