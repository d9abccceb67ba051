import type { ChannelCheck } from '@patchbay/contract/app/channels.ts'
import type { AttentionReason } from '@patchbay/contract/channels.ts'
import type { WebchatSettings } from '@patchbay/contract/chat/settings.ts'
import type { OwnFacts } from '../kind.ts'
import { isLoopbackName } from './pages.ts'

/** Answers of a language model in a day. */
const ofVisitor = { browser: 30, member: 100 }

/** From this share of the day's model answers on, the owner is told. */
const nearShare = 0.8

const nearOf = (most: number) => Math.ceil(nearShare * most)

export function modelAnswers({ caps: { modelAnswersADay } }: WebchatSettings, { kind }: { kind: string }) {
  return {
    ofVisitor: kind === 'member' ? ofVisitor.member : ofVisitor.browser,
    ofDay: modelAnswersADay,
    lookAt: [nearOf(modelAnswersADay), modelAnswersADay],
  }
}

type Found = Pick<ChannelCheck, 'name' | 'sentence'> & { reason: AttentionReason }

/** What strangers do of which somebody has to know, the worst first. */
export function lookAtStrangers(facts: OwnFacts<WebchatSettings>): Found[] {
  const { isForged, publicUrl } = facts
  const isHidden = facts.isHidden && !isLoopbackName(new URL(publicUrl).hostname) // on this machine there is no proxy
  const full = whatIsFull(facts)
  const near = full === '' ? whatIsNearlyFull(facts) : ''
  return [
    ...(isForged ? [forged] : []),
    ...(full === '' ? [] : [{ reason: 'day full', name: 'limits', sentence: full } as const]),
    ...(isHidden ? [hidden] : []),
    ...(near === '' ? [] : [{ reason: 'day nearly full', name: 'limits', sentence: near } as const]),
  ]
}

const forged: Found = {
  reason: 'forged identities',
  name: 'identities',
  sentence:
    'Tokens came that your shop has not signed, several in a minute. They are refused. If they are from your shop, it has another secret than this channel.',
}

const hidden: Found = {
  reason: 'hidden visitors',
  name: 'visitors',
  sentence:
    'Your proxy hides the visitors: nearly all requests come from one private address, so that all of them share one limit. Have the operator name the proxy in TRUST_PROXY.',
}

const again = 'The limits of a day begin anew at midnight, UTC.'

function whatIsFull({ settings: { caps }, today }: OwnFacts<WebchatSettings>): string {
  const { contactsADay, messagesADay, fileBytesADay, modelAnswersADay } = caps
  const full = [
    [
      today.contacts,
      contactsADay,
      `${count(contactsADay)} new visitors have written today: others are asked to come back.`,
    ],
    [today.messages, messagesADay, `${count(messagesADay)} messages have come today: more are refused.`],
    [
      today.fileBytes,
      fileBytesADay,
      `Files of ${count(Math.round(fileBytesADay / 1_000_000))} MB have come today: more are refused.`,
    ],
    [
      today.modelAnswers,
      modelAnswersADay,
      `Language models have given ${count(modelAnswersADay)} answers today: now entries answer, or people.`,
    ],
  ] as const
  const sentences = full.filter(([had, most]) => had >= most).map(([, , sentence]) => sentence)
  return sentences.length === 0 ? '' : [...sentences, again].join(' ')
}

function whatIsNearlyFull({ settings: { caps }, today }: OwnFacts<WebchatSettings>): string {
  const { modelAnswersADay } = caps
  if (today.modelAnswers < nearOf(modelAnswersADay)) return ''
  return `Language models have given ${count(today.modelAnswers)} of ${count(modelAnswersADay)} answers that they may give today. ${again}`
}

const count = (number: number) => number.toLocaleString('en')
