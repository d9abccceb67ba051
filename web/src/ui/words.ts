/** Words of the components. */
export const uiWords = {
  copied: 'Copied',
  copyIt: (what: string) => `Copy ${what}`,
  close: 'Close',
  undo: 'Undo',
  dismiss: 'Dismiss',
  loading: 'Loading…',
  older: 'Show older',
  clearSearch: 'Clear the search',
  notifications: 'Notifications',
  score: (value: string) => `score ${value}`,
  justNow: 'just now',
  live: 'Live',
  ownPlatform: 'Your platform',
  address: (address: string) => `the address ${address}`,
  whyNot: { no_address: 'not known there', stopped: 'they have blocked it', channel_removed: 'disconnected' },
  lastFailed: 'a reply was not delivered',
} as const
