import type { WebchatSettings } from '@patchbay/contract/chat/settings.ts'

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
