/** What an owner of a sub-account is told when the agency made a link for a password. */
export const agencyLinkWords = {
  made: (agency: string) => `Your agency ${agency} made a link for a new password of this account's holder,`,
  notUsed: 'Nobody has used it yet. If you did not ask for it, withdraw it in Settings › Team.',
  ended: 'Nobody has used it, and it works no longer.',
  used: 'The password was changed by this link,',
  usedBefore: 'The password was changed by an earlier one,',
  usedSays: 'Whoever did so signed in as the holder.',
  audit: 'Open the audit',
  close: 'Understood',
  closing: 'One moment…',
} as const
