/**
 * What may have changed besides single conversations. `conversations`: so many of them that they are not named. The truth
 * is fetched.
 */
export const liveTopics = [
  'conversations',
  'contacts',
  'imports',
  'lists',
  'webhook',
  'channels',
  'account',
  'credits',
  'team',
  'simulator',
  'campaigns',
  'saved-replies',
  'calls',
  'broadcasts',
] as const
export type LiveTopic = (typeof liveTopics)[number]

/**
 * What the stream says, a JSON document each.
 *
 * `hello` comes first, and again whenever the server may have missed changes: what is shown must be fetched anew. Changes
 * that are committed after it are announced by `changes`. With another `installation` than before, nothing that was
 * fetched is worth keeping. `typing`: that contact is writing; it is over after `typingSeconds`, and
 * nothing is fetched for it. After `signed out` the server ends the stream. `beat` comes every `beatSeconds`.
 */
export type LiveEvent =
  | { kind: 'hello'; installation: string }
  | { kind: 'changes'; contactIds: string[]; topics: LiveTopic[] }
  | { kind: 'typing'; contactId: string }
  | { kind: 'signed out' }
  | { kind: 'beat' }

export const beatSeconds = 15

/** Who writes says so again before that. */
export const typingSeconds = 6
