const contact = {
  id: 'con_019a8b0e5d3c7c1f8a4e2b6d9f0a1c3e',
  firstName: 'Ana',
  lastName: null,
  phone: '+15551234567',
  email: 'ana@example.com',
  createdAt: '2026-01-31T08:00:00.000Z',
}
const messageId = 'msg_019a8b0e5d3c7c1f8a4e2b6d9f0a1c40'

const broadcast = {
  id: 'brc_019a8b0e5d3c7c1f8a4e2b6d9f0a1c45',
  name: 'Sunday',
  state: 'preparing',
  waitingReason: null,
  haltedReason: null,
  listId: 'lst_019a8b0e5d3c7c1f8a4e2b6d9f0a1c41',
  customChannel: 'web chat',
  channelId: null,
  campaignId: null,
  body: 'Hello {{firstName}}, we are open on Sunday.',
  ratePerMinute: 600,
  idFrom: 'phone',
  counts: {
    ...{ recipients: 0, sent: 0, failed: 0, waiting: 0, answered: 0 },
    leftOut: { optedOut: 0, blocked: 0, noId: 0, noAddress: 0, idTaken: 0, erased: 0, stopped: 0 },
  },
  failures: [],
  createdAt: '2026-01-31T08:00:00.000Z',
  startsAt: null,
  endedAt: null,
}

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
  showContact: { answer: { success: true, contactId: contact.id, ...contact, contact } },
  addContactToList: {
    body: { contactId: contact.id },
    answer: {
      success: true,
      listId: 'lst_019a8b0e5d3c7c1f8a4e2b6d9f0a1c41',
      contactId: contact.id,
      message: 'The contact is on the list.',
    },
  },
  startBroadcast: {
    body: {
      listId: 'lst_019a8b0e5d3c7c1f8a4e2b6d9f0a1c41',
      customChannel: 'web chat',
      body: 'Hello {{firstName}}, we are open on Sunday.',
      name: 'Sunday',
      idFrom: 'phone',
    },
    answer: broadcast,
  },
  showBroadcast: {
    answer: {
      ...broadcast,
      state: 'finished',
      counts: {
        ...{ recipients: 4_812, sent: 4_790, failed: 3, waiting: 0, answered: 214 },
        leftOut: { optedOut: 12, blocked: 0, noId: 0, noAddress: 5, idTaken: 1, erased: 1, stopped: 0 },
      },
      failures: [{ category: 'http_error', httpStatus: 422, count: 3 }],
      endedAt: '2026-01-31T08:08:07.000Z',
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
  alertEvent: {
    body: {
      text: '3 conversations wait for a person. https://chat.example.com/inbox?filter=waiting',
      content: '3 conversations wait for a person. https://chat.example.com/inbox?filter=waiting',
      mrkdwn: false,
      allowed_mentions: { parse: [] },
      event: 'conversation.waiting',
      id: 'evt_019a8b0e5d3c7c1f8a4e2b6d9f0a1c46',
      accountId: 'acc_019a8b0e5d3c7c1f8a4e2b6d9f0a1c42',
      at: '2026-01-31T08:00:00.000Z',
      link: 'https://chat.example.com/inbox?filter=waiting',
      details: {
        count: 3,
        conversations: [{ contactId: contact.id, since: '2026-01-31T07:59:58.120Z', reason: 'asked_for_person' }],
      },
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
