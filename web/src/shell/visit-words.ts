/** An agency in the app of one of its sub-accounts. */
export const visitWords = {
  visiting: (account: string) =>
    `You are in the app of ${account} as its agency. Both sides can see that in the audit.`,
  leave: 'Leave',
  leaving: 'Leaving…',
} as const
