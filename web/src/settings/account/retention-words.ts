const days = (count: number) => (count === 1 ? '1 day' : `${count.toLocaleString()} days`)

/** Settings › Account: how long messages, files and visitors are kept. */
export const retentionWords = {
  title: 'How long messages are kept',
  says: 'Older ones are removed by themselves, for good. Contacts, lists and credits stay; of website visitors only those of whom more is known.',
  fields: {
    messages: 'Messages, days',
    attachments: 'Files, days',
    visitors: 'Website visitors, days',
  },
  hints: {
    messages: (most: number | null) =>
      most === null ? 'Empty: for ever' : `Empty: as long as this installation keeps them, ${days(most)}`,
    attachments: (most: number | null) =>
      most === null
        ? 'Empty: as long as their messages'
        : `Empty: as long as this installation keeps them, ${days(most)}`,
    visitors: (most: number | null) => {
      const says =
        'From their last message on. Who has a phone number, an e-mail address, another channel, a list, a tag or a note stays.'
      return most === null ? says : `${says} Empty: as long as this installation keeps them, ${days(most)}`
    },
  },
  noDays: 'A whole number of days, 1 or more.',
  tooMany: (most: number) => `This installation keeps them for ${days(most)} at most.`,
  save: 'Save',
  saving: 'Saving…',
  saved: 'Saved.',
  removes: (count: number, hasMore: boolean) =>
    count === 0
      ? 'No message is that old yet.'
      : `${count.toLocaleString()}${hasMore ? ' or more messages' : count === 1 ? ' message' : ' messages'} will be removed now.`,
  removesHint: (count: number) =>
    `And from then on every message that is older than ${days(count)}. They cannot be brought back.`,
  removesAll: {
    attachments: (count: number) =>
      `Files older than ${days(count)} will be removed now and from then on. They cannot be brought back.`,
    visitors: (count: number) =>
      `Visitors who have not written for ${days(count)} will be erased with their messages, now and from then on. They cannot be brought back.`,
  },
  keep: 'Keep as it is',
  remove: 'Remove them',
} as const
