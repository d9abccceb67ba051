import type { Static } from 'typebox'
import { limits } from '../limits.ts'
import { Type } from '../schema.ts'
import { nullableText, visibleText } from '../text.ts'
import { oneOf, orNull, Time } from './fields.ts'
import { Channel } from './messages.ts'
import { TestResult } from './receivers.ts'
import type { AppRoute } from './route.ts'

const Said = Type.Object({
  contactId: Type.String(),
  contactName: nullableText({}),
  text: Type.String(),
  channel: Channel,
  isSimulated: Type.Boolean(),
  at: Time,
})

/**
 * The steps to the first delivered reply. A step is null until its call came, a real one or one of the simulator. `message` and
 * `reply` are of custom channels.
 */
export const FirstRun = Type.Object({
  /** As they were given; null until then. */
  names: Type.Object({ business: nullableText({}), user: nullableText({}), timeZone: Type.String() }),
  key: orNull(Type.Object({ createdAt: Time })),
  message: orNull(Said),
  webhook: orNull(
    Type.Object({
      url: Type.String(),
      savedAt: Time,
      test: orNull(TestResult),
      /** When this address last took a reply that was not simulated. */
      tookReplyAt: orNull(Time),
      /** While it fails: when it last did not take a reply. */
      failedAt: orNull(Time),
    }),
  ),
  /** Instead of key and webhook: a built-in channel, for which nothing is programmed. */
  builtIn: Type.Object({
    /** The one that was connected first. */
    channelId: nullableText({}),
    message: orNull(Said),
    reply: orNull(Said),
  }),
  taught: orNull(Type.Object({ question: Type.String(), at: Time })),
  reply: orNull(Said),
  isHidden: Type.Boolean(),
  /** What came and went last, newest first. */
  calls: Type.Array(
    Type.Object({
      at: Time,
      kind: oneOf('message in', 'reply out', 'key made', 'test post'),
      outcome: Type.String(),
      /** It came from the simulator, or went to it. */
      isSimulated: Type.Boolean(),
    }),
  ),
})
export type FirstRun = Static<typeof FirstRun>

export const FirstEntry = Type.Object({
  question: visibleText(limits.nameCharacters, 'What people ask.'),
  answer: visibleText(limits.sayingCharacters, 'What to say, word for word.'),
})

export const Hidden = Type.Object({ hidden: Type.Boolean() })

export const firstRunRoutes = {
  'GET /api/first-run': { guard: 'member', summary: 'Steps to the first delivered reply', reply: FirstRun },
  'POST /api/first-run/entry': {
    guard: 'owner',
    summary: 'Teach the bot',
    body: FirstEntry,
    reply: FirstRun,
    callsOut: true, // it waits until a worker has embedded the entry
  },
  'PUT /api/first-run/hidden': { guard: 'member', summary: 'Hide the steps', body: Hidden, reply: FirstRun },
} as const satisfies Record<string, AppRoute>
