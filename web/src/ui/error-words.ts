/** The words when something did not work: what happened, what to do. */
export const errorWords = {
  ourFault: 'That did not work on our side and nothing was changed.',
  tryAgain: 'Try again',
  toInbox: 'To the inbox',
  ifItStays: (requestId: string) => `Try again; if it stays, give ${requestId} to whoever runs this server.`,
  ifItStaysWithoutId: 'Try again; if it stays, tell whoever runs this server.',
  noConnection: 'The server did not answer.',
  noConnectionHint: 'Nothing is lost. Check the connection, then try again.',
  newVersion: 'This part of the app belongs to a newer version.',
  newVersionHint: 'Reload the page; what you have written stays.',
  wait: (seconds: number) =>
    seconds === 1 ? 'Too many tries. Wait 1 second.' : `Too many tries. Wait ${seconds} seconds.`,
} as const
