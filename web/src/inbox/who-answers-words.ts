import type { WhoAnswers } from './who-answers.ts'

/** What the sentences name. */
export type Facts = {
  /** First name, or what stands for it. */
  contact: string
  /** Since when it is so, such as "2 min ago". */
  since: string | null
  /** When the bot resumes, such as "in 23 h". */
  resumes: string | null
  /** The colleague who has it; null: it is you, or it is not known. */
  colleague: string | null
  isMine: boolean
  optedOutOn: string | null
}

/** What the bar above the composer says: the state in bold, then what follows from it; `short` under 900 px. */
export function sayWhoAnswers({ state }: WhoAnswers, facts: Facts): { title: string; rest: string; short: string } {
  const { contact, since, resumes, colleague, optedOutOn } = facts
  const until = resumes ? `It resumes ${resumes}.` : 'It resumes when you hand back.'
  const untilShort = resumes ? `Resumes ${resumes}.` : 'Until you hand back.'
  const paused = colleague ? `${colleague} answers here.` : 'Bot paused here.'
  const ago = since ?? ''
  switch (state) {
    case 'bot':
      return say('Bot answers here.', 'Sending a reply takes over.')
    case 'bot, missed':
      return say(
        'It could not answer the last questions.',
        'The bot goes on; a person is awaited.',
        'A person is awaited.',
      )
    case 'bot, no credits':
    case 'no credits':
      return say('No credits left.', 'The bot waits; a person can answer.', 'A person can answer.')
    case 'bot, no campaign':
      return say('No campaign answers here.', 'A person is awaited.')
    case 'bot, campaign paused':
      return say('Its campaign is paused.', 'The bot is silent; a person is awaited.', 'A person is awaited.')
    case 'bot, limit':
      return say(
        'The bot reached its limit of replies.',
        'It goes on by itself later; a person is awaited.',
        'A person is awaited.',
      )
    case 'deletion':
    case 'bot, file':
    case 'bot, blocked':
    case 'bot, not reached':
      return sayOnChannel(state, contact)
    case 'bot switched off':
      return say('The bot is switched off.', 'Nothing is answered by itself.')
    case 'typed':
      return say(paused, resumes ? `It resumes ${resumes} without a message from you.` : until, untilShort)
    case 'taken over':
      return say(paused, 'It resumes when you hand back.', 'Until you hand back.')
    case 'requested':
      return say(`${contact} asked for a person`, `${ago}. The bot is silent.`, `${ago}.`)
    case 'called':
      return say('The bot called you', `${ago}. It is silent.`, `${ago}.`)
    case 'engine failed':
      return say('Its engine failed,', `so it called you ${ago}.`)
    case 'stale':
      return say('Too old to answer by itself.', 'The bot is silent; a person is awaited.', 'A person is awaited.')
    case 'opted out':
      return say('Asked not to be written to', `${optedOutOn ? `on ${optedOutOn}` : 'before'}. You still can.`)
    case 'off':
      return say(`Bot is off for ${contact}.`, 'You can write.')
  }
}

/** Why the bot is silent on a built-in channel. */
function sayOnChannel(state: 'deletion' | 'bot, file' | 'bot, blocked' | 'bot, not reached', contact: string) {
  switch (state) {
    case 'deletion':
      return say(`${contact} asked to be deleted.`, 'A person decides; the contact is beside.', 'A person decides.')
    case 'bot, file':
      return say(
        'A file came without a word.',
        'The bot reads text alone; a person is awaited.',
        'A person is awaited.',
      )
    case 'bot, blocked':
      return say(`${contact} has blocked this channel.`, 'Nothing can be sent until they write again.')
    case 'bot, not reached':
      return say(
        'Nothing can be sent over this channel.',
        'The bot is silent; a person is awaited.',
        'A person is awaited.',
      )
  }
}

function say(title: string, rest: string, short = rest) {
  return { title, rest, short }
}
