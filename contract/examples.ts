const contact = {
  id: 'con_019a8b0e5d3c7c1f8a4e2b6d9f0a1c3e',
  firstName: 'Ana',
  lastName: null,
  phone: '+15551234567',
  email: 'ana@example.com',
  createdAt: '2026-01-31T08:00:00.000Z',
}
const messageId = 'msg_019a8b0e5d3c7c1f8a4e2b6d9f0a1c40'

/** One request and its answer for each operation of the API, and one body for each event; a test sends them. */
export const examples: Record<string, { body?: unknown; answer?: unknown }> = {
  receiveMessage: {
    body: {
      customData: {
        messageSid: 'wa-81723',
        fromId: 'customer-4711',
        toId: 'my-shop',
        body: 'Do you ship abroad?',
        channel: 'web chat',
        firstName: 'Ana',
      },
    },
    answer: { success: true, messageId },
  },
  sendMessage: {
    body: { customData: { fromId: 'customer-4711', customChannel: 'web chat', body: 'Your parcel is on its way.' } },
    answer: { success: true, messageId, contactId: contact.id, message: 'The message is on its way.' },
  },
  createContact: {
    body: { firstName: 'Ana', phone: '+15551234567', email: 'ana@example.com' },
    answer: contact,
  },
  findContact: { answer: { success: true, contactId: contact.id, ...contact, contact } },
  addContactToList: {
    body: { contactId: contact.id },
    answer: {
      success: true,
      listId: 'lst_019a8b0e5d3c7c1f8a4e2b6d9f0a1c41',
      contactId: contact.id,
      message: 'The contact is on the list.',
    },
  },
  grantCredits: {
    body: { email: 'sub@example.com', amount: 100, description: 'January' },
    answer: {
      success: true,
      sub_account_id: 'acc_019a8b0e5d3c7c1f8a4e2b6d9f0a1c42',
      credits_added: 100,
      new_balance: 109.5,
    },
  },
  replyEvent: {
    body: {
      contactId: contact.id,
      messageId,
      userId: 'usr_019a8b0e5d3c7c1f8a4e2b6d9f0a1c43',
      body: 'Yes, to all of Europe.',
      toId: 'customer-4711',
      channel: 'web chat',
    },
  },
  rechargeEvent: {
    body: {
      event: 'subaccount.auto_recharge',
      idempotency_key: 'evt_019a8b0e5d3c7c1f8a4e2b6d9f0a1c44',
      sub_account_id: 'acc_019a8b0e5d3c7c1f8a4e2b6d9f0a1c42',
      email: 'sub@example.com',
      balance: 9.5,
      threshold: 10,
      amount: 100,
      created_at: '2026-01-31T08:00:00.000Z',
    },
  },
}
