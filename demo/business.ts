/** A bicycle shop: what it knows, and what its customers wrote. All names are invented. */
export const business = {
  name: 'Kettle Lane Cycles',
  owner: { name: 'Ines Okafor', email: 'ines@kettlelane.example', password: 'kettle-lane-demo' },
  apiKey: 'kettle-lane-demo-key-0001',
  colleagues: [
    { name: 'Tom Birch', email: 'tom@kettlelane.example', password: 'kettle-lane-demo' },
    { name: 'Ruth Adeyemi', email: 'ruth@kettlelane.example', password: 'kettle-lane-demo' },
  ],
  lists: ['E-bike owners', 'Service due 2026', 'Spring ride'],
  savedReplies: [
    { shortcut: 'loan', body: 'Yes, {{firstName}}: a city bike, £10 for the day.' },
    { shortcut: 'location', body: '12 Kettle Lane, behind the market.' },
    { shortcut: 'ready', body: 'Hi {{firstName}}, your bike is ready. Pick it up until 18:00.' },
  ],
}

export const knowledge = [
  {
    questions: ['When do you open?', 'What are your opening hours?', 'Are you open on Saturday?'],
    answer: 'We open at 8:30 and close at 18:00, Saturdays at 16:00. On Sundays we ride.',
  },
  {
    questions: ['Do you service e-bikes?', 'Can you repair my electric bike?'],
    answer: 'Yes. We service Bosch and Shimano e-bikes. A standard e-bike service is £95 and takes two working days.',
  },
  {
    questions: ['How much is a service?', 'What does a standard service cost?'],
    answer: 'A standard service is £65 and takes a day. Book by replying with a day that suits you.',
  },
  {
    questions: ['Do you post abroad?', 'Do you deliver to Spain?', 'How much is shipping to Europe?'],
    answer: 'Yes, we post to the EU: £24, 3–5 working days.',
  },
  {
    questions: ['Where are you?', 'What is your address?', 'How do I find the shop?'],
    answer: 'Kettle Lane 12, behind the old market. The bike racks are at the side door.',
  },
  {
    questions: ['Can I return a bike?', 'What is your return policy?'],
    answer: 'You can return an unused bike within 30 days, with its receipt.',
  },
]

export type Line =
  /** `asks`: the bot answers it before the next line. */
  { by: 'contact'; text: string; asks?: true; file?: true; reaction?: true } | { by: 'person' | 'api'; text: string }

export type Customer = {
  firstName: string
  lastName: string
  phone?: string
  email?: string
  fromId: string
  channel: string
  /** When the last line was written. */
  minutesAgo: number
  lists?: string[]
  /** The receiver answers 503 to replies for this customer. */
  isFailing?: true
  isUnread?: true
  tags?: string[]
  /** After the last line. */
  note?: string
  isClosed?: true
  isSnoozed?: true
  lines: Line[]
}

const contact = (text: string, more: object = {}): Line => ({ by: 'contact', text, ...more })
const asks = (text: string): Line => ({ by: 'contact', text, asks: true })
const person = (text: string): Line => ({ by: 'person', text })
const api = (text: string): Line => ({ by: 'api', text })

export const customers: Customer[] = [
  {
    firstName: 'Marta',
    lastName: 'Lindqvist',
    phone: '+447700900342',
    email: 'marta.l@example.com',
    fromId: 'web-81f3c0',
    channel: 'Web chat',
    minutesAgo: 5,
    isFailing: true,
    lists: ['E-bike owners', 'Service due 2026'],
    tags: ['freehub', 'booked'],
    note: 'Freehub body is on shelf C4, I put one aside for her.',
    lines: [
      asks('Hi, do you service e-bikes? Mine is a Riese & Müller with a Bosch motor.'),
      contact('It makes a grinding noise when I coast. Is that the hub?', { file: true }),
      person('Hi Marta, that sounds like the freehub. Bring it in and I will look at it while you wait.'),
      contact('👍', { reaction: true }),
      api('Your workshop booking WS-2291 is confirmed for Thursday, 9:30.'),
      contact('Perfect. Do you have a loan bike for the day?'),
      person('We do: a city bike, £10 for the day. Shall I keep one for you?'),
    ],
  },
  {
    firstName: 'Dev',
    lastName: 'Patel',
    fromId: 'mk-2209',
    channel: 'Marketplace',
    minutesAgo: 2,
    isUnread: true,
    lines: [asks('When do you open?'), asks('Can I talk to a real person please')],
  },
  {
    firstName: 'Saoirse',
    lastName: 'Byrne',
    fromId: 'ig-saoirse.b',
    channel: 'Instagram bridge',
    minutesAgo: 14,
    isUnread: true,
    lines: [asks('I want to speak to a human'), contact('is the gravel one in the window a 54?')],
  },
  {
    firstName: 'Noor',
    lastName: 'Haddad',
    phone: '+447700900118',
    fromId: 'sms-0118',
    channel: 'SMS gateway',
    minutesAgo: 37,
    isUnread: true,
    lines: [asks('I want to talk to a person'), contact('Ref 7741 still nothing on the refund')],
  },
  {
    firstName: 'Tomasz',
    lastName: 'Wrona',
    fromId: 'tg-55120',
    channel: 'Telegram bridge',
    minutesAgo: 1,
    lines: [asks('What are your opening hours?')],
  },
  {
    firstName: 'Hannah',
    lastName: 'Eze',
    email: 'hannah.eze@example.com',
    fromId: 'web-77aa01',
    channel: 'Web chat',
    minutesAgo: 3,
    isUnread: true,
    lists: ['Spring ride'],
    lines: [api('Your bike is ready. Pick it up until 18:00.'), contact('Brilliant, thank you! 🎉')],
  },
  {
    firstName: 'Gus',
    lastName: 'Abernathy',
    fromId: 'kiosk-9',
    channel: 'Workshop kiosk',
    minutesAgo: 10,
    isFailing: true,
    lines: [contact('What did the repair come to?'), person('New chain and cassette, £84 with fitting.')],
  },
  {
    firstName: 'Priya',
    lastName: 'Raman',
    phone: '+447700900551',
    fromId: 'mk-3310',
    channel: 'Marketplace',
    minutesAgo: 19,
    lists: ['E-bike owners'],
    lines: [api('Your order KL-5530 left our shop today.')],
  },
  {
    firstName: 'Lucía',
    lastName: 'Ferrer',
    fromId: 'ig-lucia',
    channel: 'Instagram bridge',
    minutesAgo: 49,
    lines: [asks('Hola! Do you deliver to Spain?')],
  },
  {
    firstName: 'Old Market',
    lastName: 'Couriers',
    fromId: 'sms-4410',
    channel: 'SMS gateway',
    minutesAgo: 70,
    tags: ['fleet'],
    lines: [
      contact('Four bikes for the monthly check, Thursday early?'),
      person('Four bikes booked for Thursday 7:30.'),
    ],
  },
  {
    firstName: 'Wren',
    lastName: 'Halloran',
    fromId: 'web-10ff22',
    channel: 'Web chat',
    minutesAgo: 1500,
    isSnoozed: true,
    lines: [asks('How much is a service?')],
  },
  {
    firstName: 'Adrian',
    lastName: 'Townsend',
    phone: '+447700900472',
    fromId: 'kiosk-3',
    channel: 'Workshop kiosk',
    minutesAgo: 1630,
    isClosed: true,
    lines: [api('Your wheel is trued and ready.'), contact('👍', { reaction: true })],
  },
  {
    firstName: 'Kofi',
    lastName: 'Mensah',
    fromId: 'web-3c9d',
    channel: 'Web chat',
    minutesAgo: 1710,
    lines: [
      asks('Where are you?'),
      contact('I lost my key in the shop I think'),
      person('Keys are with me at the counter.'),
    ],
  },
  {
    firstName: 'Yuki',
    lastName: 'Tanaka',
    email: 'yuki@example.com',
    fromId: 'tg-90211',
    channel: 'Telegram bridge',
    minutesAgo: 3100,
    lines: [asks('自転車を送ってもらえますか？ Do you post abroad?')],
  },
  {
    firstName: 'ליאור',
    lastName: 'כהן',
    fromId: 'web-lior',
    channel: 'Web chat',
    minutesAgo: 4400,
    lines: [contact('שלום, יש לכם אופניים חשמליים במלאי?'), person('שלום ליאור, כן: שלושה דגמים. נשמח לראותך.')],
  },
]
