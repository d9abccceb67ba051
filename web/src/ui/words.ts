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
} as const
