/** The words of where a reply is written: by which way it leaves, and with which file. */
export const composeWords = {
  replyBy: 'Reply by',
  /** The name of the way, for who does not see the mark beside it. */
  replyByNow: (way: string) => `Reply by ${way}`,
  noWay: 'No way to reply',
  custom: 'Your platform',
  usual: 'Wrote last here: the next reply goes here again',
  chosen: 'Chosen for this reply',
  whyNot: {
    no_address: 'Never wrote here, so it cannot be reached',
    stopped: 'They have blocked this channel',
    closed: 'Your team has blocked them here',
    channel_removed: 'This channel was disconnected',
    channel_paused: 'This channel is paused, and takes nothing',
  },
  waits: {
    connecting: 'Waits for the channel: it is not connected yet',
    attention: 'Waits for the channel: it needs attention',
    paused: 'Waits for the channel: it is paused',
    held: 'Waits for the channel: this is a restored copy',
  },
  readLater: 'They read it when they come back',
  seen: (ago: string) => `Seen ${ago}`,
  lastSeen: (at: string) => `Last seen ${at}`,

  attach: (most: string) => `Attach a file, up to ${most}`,
  attached: 'Attached file',
  uploading: (name: string) => `Uploading ${name}`,
  uploaded: (done: string, all: string) => `${done} of ${all}`,
  takeAway: (name: string) => `Take ${name} away`,
  dropHere: 'Drop the file here',
  oneFile: 'One file goes with a message: the first one was taken.',
  empty: (name: string) => `${name} is empty.`,
  tooLarge: (name: string, size: string, most: string, way: string) =>
    `${name} has ${size}. By ${way} up to ${most} can be sent.`,
  noFiles: (way: string) => `${way} takes no files.`,
  otherWay: 'Choose another way, or take the file away.',
  notAttached: 'Not attached.',
  tryAgain: 'Try again',
  tooOld: 'It is kept for an hour, and that is over. Attach it again.',
  leftOut: (name: string) => `One file goes with a message: ${name} was left out.`,
} as const
