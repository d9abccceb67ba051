const many = (count: number, one: string, more: string) => (count === 1 ? `1 ${one}` : `${countOf(count)} ${more}`)

/** The server counts up to 10,000. */
export function countOf(count: number): string {
  return count >= 10_000 ? '10,000+' : count.toLocaleString()
}

/** Settings › Custom Channel Webhook. */
export const webhookWords = {
  testPost: 'Send a test post',
  testing: 'Testing…',
  ownerOnly: 'Only the owner of the account can change the webhook.',

  health: 'Receiver health',
  us: 'Patchbay',
  owed: (count: number) => (count === 0 ? 'nothing owed' : many(count, 'reply owed', 'replies owed')),
  lastTook: 'last took a reply',
  neverTook: 'has not taken a reply yet',
  noAddress: 'no address yet',
  yourServer: 'Your server',
  plugged: 'Your server takes replies.',
  tested: 'Your server answered the test post.',
  refused: 'Your server did not take the last test post.',
  refusedHint: 'A reply is posted to it all the same, and tried again by itself.',
  untried: 'The address is saved.',
  pluggedHint: 'Each is posted once, signed, and tried again by itself if your server is away.',
  pluggedNone: 'Nothing was posted to it yet. A test post shows whether it listens.',
  failingOnce: (since: string) => `Your server failed the last time, at ${since}.`,
  failing: (inRow: number, since: string) => `Your server is failing: ${inRow} in a row since ${since}.`,
  failingHint:
    'Each reply is tried again by itself, for up to 24 hours. Nothing is thrown away after that: you can send it again.',
  nextTryIn: 'Next try in',
  nextTryNow: 'A reply is tried now',
  inLine: (count: number) => (count === 1 ? '1 waits in line' : `${countOf(count)} wait in line`),
  inLineHint: 'and use up no tries. When it answers 2xx, all leave in order. Nothing is thrown away.',
  paused: 'Deliveries are paused.',
  pausedHint: (held: number) =>
    held === 0
      ? 'Replies are kept and leave when you resume.'
      : `${many(held, 'reply is', 'replies are')} kept and leave when you resume. Nothing is lost.`,
  gone: 'Your server says this address is gone (410).',
  goneHint:
    'Replies that got this answer are not tried again by themselves. Save another address, then send them again.',
  goneTag: 'gone',
  pausedTag: 'paused',
  tagFor: (cause: string, time: string) => `${cause} for ${time}`,
  tryNow: 'Try now',
  trying: 'Trying…',
  pause: 'Pause',
  resume: 'Resume',
  none: 'No webhook is saved.',
  noneHint: (undelivered: number) =>
    undelivered === 0
      ? 'Save the address of your server below; replies are posted to it.'
      : `${many(undelivered, 'reply waits', 'replies wait')} for one. Save the address of your server below, then send ${undelivered === 1 ? 'it' : 'them'}.`,
  strip: (count: number, from: string) => `last ${many(count, 'attempt', 'attempts')}, from ${from}`,
  stripNow: 'now',
  stripLabel: (count: number, failed: number, inRow: number) =>
    `Last ${count} attempts: ${count - failed} taken, ${failed} failed${inRow > 0 ? `, the last ${inRow} in a row` : ''}`,

  url: 'URL',
  urlHint: 'Read at every try, so a corrected address helps waiting replies at once.',
  save: 'Save',
  saving: 'Saving…',
  savedIt: 'Saved',
  urlMissing: 'Enter the address of your server, such as https://example.com/replies.',
  undelivered: (count: number) => `${many(count, 'reply was', 'replies were')} not delivered.`,
  sendThem: 'Send again',

  secret: 'Signing secret',
  masked: `whsec_${'•'.repeat(32)}`,
  secretWhat: 'signing secret',
  secretHint: 'Every post is signed with it, so that your server knows it is from here.',
  reveal: 'Reveal; asks for your password',
  hide: 'Hide',
  password: 'Your password',
  show: 'Show the secret',
  showing: 'Checking…',
  wrong: 'That is not your password.',
  passwordMissing: 'Enter your password.',
  cancel: 'Cancel',
  rotate: 'Rotate',
  rotating: 'Making…',
  rotateAsk: 'A new secret signs from now on.',
  rotateHint: 'The old one signs too for 24 hours, so that your server can switch. If it leaked, end it at once.',
  rotateKeep: 'Rotate, keep the old one for a day',
  rotateLeaked: 'It leaked: end it now',
  rotated: 'The new secret. Give it to your server.',
  oldUntil: (time: string) => `The old secret signs too until ${time}.`,
  dropOld: 'It leaked: drop it now',

  lastTest: 'Last test post',
  noTest: 'No test was made with this address.',
  noTestHint: 'A test posts something made up, and then the same with a wrong signature. Nothing is kept.',
  answered: 'Answered in',
  testFailed: 'It was not taken.',
  testFailedHint: 'A failed test never blocks you: the address is saved.',
  checks: 'A wrong signature was refused, as it should be.',
  checksNot: 'A wrong signature was accepted too.',
  checksNotHint: 'Anyone who knows the address can post to it. Check the signature of every post.',
  checksUnknown: 'The post with a wrong signature got no answer.',
} as const
