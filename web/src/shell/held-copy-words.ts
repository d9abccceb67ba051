/** A restored copy whose channels are held. */
export const heldCopyWords = {
  held: (count: number) =>
    `This is a restored copy. Its ${count === 1 ? 'channel neither sends nor fetches' : 'channels neither send nor fetch'} until an owner says that this copy goes on.`,
  answer: 'Does it go on?',
  title: 'Does this copy go on?',
  goesOn:
    'If it does, its channels send and fetch again. What waited when the backup was taken does not leave by itself: it may have left since, so a person decides on each.',
  stays:
    'If the installation that it was copied from still runs, leave it held: then nothing is sent or fetched here, and messages that come are kept. Both would write to the same people otherwise.',
  yes: 'This copy goes on',
  going: 'One moment…',
  no: 'Leave it held',
  done: 'The channels send and fetch again.',
} as const
