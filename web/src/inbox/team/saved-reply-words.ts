/** The words of saved replies. */
export const savedWords = {
  savedReplies: 'Saved replies',
  manageReplies: 'Manage saved replies…',
  noRepliesYet: 'No saved reply yet. Make the first one.',
  noReplyMatches: 'No saved reply begins like that.',
  newReply: 'New saved reply',
  shortcut: 'Shortcut',
  shortcutHint: 'Small letters, digits and hyphens. Type it after / in a reply.',
  replyText: 'Text',
  replyTextHint: '{{firstName}} becomes the first name of the contact.',
  saveReply: 'Save reply',
  editReply: (shortcut: string) => `Edit /${shortcut}`,
  deleteReply: (shortcut: string) => `Delete /${shortcut}`,
  deletedReply: (shortcut: string) => `/${shortcut} is deleted.`,
  cancel: 'Cancel',
  fill: 'Fill in shortcut and text.',
} as const
