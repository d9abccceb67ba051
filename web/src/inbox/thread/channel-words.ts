/** What receipts say of messages over built-in channels. `channel` is the name of a kind. */
export const channelWords = {
  waitsForChannel: 'Waits for the channel',
  delivered: 'Delivered',
  deliveredAt: (at: string) => `Delivered ${at}`,
  read: 'Read',
  readAt: (at: string) => `Read ${at}`,
  inDoubt: 'In doubt',
  inDoubtHint: 'It is not known whether a message arrived, or whether it did once',
  notSent: 'Not sent',
  tellsNoMore: (channel: string) => `${channel} tells us no more than this`,
  perhapsTwice: (at: string) => `Left once more ${at}, because of a doubt`,
  saysArrived: (who: string) => `${who} said so`,
  tookBack: 'Took a message back',
  sticker: 'Sticker',
} as const
