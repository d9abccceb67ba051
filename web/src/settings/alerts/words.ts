import type { AlertCondition } from '@patchbay/contract/alerts.ts'
import { countOf } from '../webhook/words.ts'

const conditions: Record<AlertCondition, string> = {
  waiting: 'A conversation waits for a person',
  receiver: 'A receiver has been failing for ten minutes, and works again',
  bot: 'A bot is in trouble, and answers again',
  credits: 'Credits are running low',
  broadcast: 'A broadcast stopped, because its receiver takes nothing',
  channel: 'A channel has needed somebody for ten minutes, and works again',
}

/** Settings › Alerts. */
export const alertWords = {
  conditions,

  browser: 'In this browser',
  browserSays: 'A notification of your system. The app must be open in a tab, which may be behind other windows.',
  ask: 'Allow notifications',
  asking: 'Answer the browser’s question…',
  notAsked: 'This browser has not been asked yet. It is asked when you press the button, never by itself.',
  on: 'Notify me in this browser',
  allowed: 'The browser allows it. Names of contacts are shown, what they write is not.',
  blocked: 'The browser blocks notifications of this address.',
  blockedHint: 'Allow them in the site settings, beside the address, and come back to this page.',
  unsupported: 'This browser cannot show notifications of a page.',
  unsupportedHint: 'The number in the title of the tab works here too.',
  which: 'What to be notified of',
  works: 'Notifications are on.',

  send: 'What is sent to the alert address',
  sendSays: 'Each is sent once when it begins. Conversations that begin to wait within a minute are sent together.',
  namesContacts: 'Name contacts',
  namesHint: 'Off: an alert says how many wait, and links to them. What contacts write is never sent.',
  creditsBelow: 'Low means fewer than',
  creditsHint: 'Credits. Empty: your agency’s threshold for recharges, or that nothing is left.',
  creditsWrong: 'Enter a number of credits above 0, such as 25.',
  save: 'Save',
  saving: 'Saving…',
  saved: 'Saved.',

  address: 'Alert address',
  addressSays: 'Of a channel in Slack, Discord, Mattermost or Google Chat, or of your own server.',
  ownerOnly: 'Only an owner of the account can see and change the alert address.',
  url: 'URL',
  urlHint: 'An incoming webhook of your chat tool. Posts are signed and tried again like replies.',
  urlMissing: 'Enter the address, such as https://hooks.slack.com/services/….',
  addressSaved: 'The alert address is saved.',
  none: 'No alert address is saved. Nothing is sent.',
  states: {
    works: 'The alert address works.',
    untried: 'Saved. Nothing was posted to it yet; a test post shows whether it works.',
    refused: 'The alert address did not take the last test post.',
    failing: 'The alert address is failing.',
    paused: 'Alerts are paused.',
    gone: 'The alert address says that it is gone.',
  },
  pausedHint: 'What still lasts is sent when you resume.',
  owed: (count: number) => (count === 1 ? '1 alert waits to be sent.' : `${countOf(count)} alerts wait to be sent.`),
  pause: 'Pause',
  resume: 'Resume',
  remove: 'Remove',
  removing: 'Removing…',
  removed: 'The alert address is removed.',
  removeAsk: 'Remove the alert address?',
  removeHint: 'Nothing is sent any more. The signing secret ends with it.',
  keep: 'Keep it',
  test: 'Send a test post',
  testing: 'Testing…',
  testHint: 'Chat tools check no signature: who has their address can post there, so keep it secret.',
  answered: (ms: number) => `Answered in ${ms} ms`,
  failed: (cause: string) => `The test failed. ${cause}`,

  log: 'Last alerts',
  filter: 'Which alerts',
  filters: { all: 'All', failed: 'Failed', waiting: 'Waiting', sent: 'Sent' },
  columns: { when: 'When', what: 'Alert', status: 'What came of it' },
  detail: 'Alert',
  eventId: 'alert ID',
  made: 'made',
  nothing: 'No alerts.',
  nothingSays: 'What was sent to the alert address stands here, with every try.',
} as const

/** What a browser's notification says. */
export const noticeWords = {
  waits: (name: string | null) => `${name ?? 'Somebody'} waits for a person`,
  wait: (count: number) => `${count} conversations wait for a person`,
  receiver: (kind: string) =>
    kind === 'alert'
      ? 'The alert address has been failing for ten minutes'
      : 'Your receiver has been failing for ten minutes',
  bot: (name: string | null) => `The bot ${name ?? ''} cannot answer`,
  credits: 'Credits are running low',
  broadcast: (name: string | null) => `The broadcast ${name ?? ''} stopped`,
  channel: (name: string | null) => `The channel ${name ?? ''} needs somebody`,
} as const
