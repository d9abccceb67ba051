/** What a reply posts to the account's own server. */
export const postedExample = JSON.stringify(
  {
    contactId: 'con_019a8b0e5d3c7c1f8a4e2b6d9f0a1c3e',
    messageId: 'msg_019a8b0e5d3c7c1f8a4e2b6d9f0a1c40',
    userId: 'usr_019a8b0e5d3c7c1f8a4e2b6d9f0a1c43',
    body: 'Yes, to all of Europe.',
    toId: 'customer-4711',
    channel: 'web chat',
  },
  null,
  2,
)
