import { contactTextNames } from '@patchbay/contract/contact-texts.ts'

const count = new Intl.NumberFormat()

export const contactWords = {
  title: 'Contacts',
  /** The server counts up to 10,000. */
  total: (total: number) => (total >= 10_000 ? `${count.format(10_000)}+` : count.format(total)),
  totalName: (total: number) => (total === 1 ? '1 contact' : `${contactWords.total(total)} contacts`),
  search: 'Search contacts',
  searchHint: 'Name, phone, e-mail, external id, @name',
  anyList: 'Any list',
  listFilter: (list: string) => `List: ${list}`,
  chooseList: 'Show the contacts of a list',
  columns: {
    name: 'Name',
    phone: 'Phone',
    email: 'E-mail',
    channel: 'Channel and their ID',
    lists: 'Lists',
    lastHeard: 'Last heard',
    actions: 'Actions',
  },
  noName: 'No name yet',
  none: '–',
  more: (name: string) => `More for ${name}`,
  moreLists: (names: string[]) => `and ${names.join(', ')}`,
  open: 'Open',
  openConversation: 'Open the conversation',
  write: 'Write',
  edit: 'Edit',
  eraseMenu: 'Erase…',
  simulated: 'Simulated',
  simulatedHint: 'Made by the simulator. Replies stay inside Patchbay and cost nothing.',
  optedOut: 'Opted out',
  optedOutHint: (when: string) =>
    `Asked not to be written to on ${when}. The bot is silent and lists leave them out; you can still write.`,

  newContact: 'New contact',
  create: 'Create contact',
  creating: 'Creating…',
  texts: contactTextNames,
  phone: 'Phone',
  phoneHint: 'With + and the country code. One contact for each number.',
  email: 'E-mail',
  wrongPhone: 'Begin with + and a country code, such as +447700900342.',
  wrongEmail: 'An e-mail address looks like ana@example.com.',
  twoAts: 'This e-mail address has two @ signs.',
  neither: 'Neither a phone number nor an e-mail address. One is needed to know who it is.',
  taken: (name: string | null) => `${name ?? 'A contact without a name'} has this number.`,
  openTaken: 'Open them',
  made: (name: string) => `${name} is in your contacts.`,

  save: 'Save changes',
  saving: 'Saving…',
  discard: 'Discard changes',
  saved: 'Saved.',
  cancel: 'Cancel',

  contact: 'Contact',
  channel: 'Channel',
  reachedBy: 'Reached by',
  theirId: 'Their ID',
  theirIdHint: 'What your platform sends as fromId when they write. It stays for good once it is saved.',
  contactId: 'Contact ID',
  copyContactId: 'contact ID',
  copyTheirId: 'their ID',
  lastHeard: 'Last heard',
  added: 'Added',
  noConversation: 'No conversation yet',
  lists: 'Lists',
  noLists: 'On no list.',
  addToList: 'Add to a list',
  removeFrom: (list: string) => `Remove from ${list}`,
  allLists: 'On all of your lists.',
  makeList: 'Make a list',

  erase: 'Erase',
  eraseAsk: 'Erase this contact…',
  eraseSays: 'For when somebody asks to be forgotten.',
  eraseGoes: (name: string) =>
    `This erases ${name} for good: name, number and address, every message from and to them with its files, what the bot noted about its answers, and their places on lists.`,
  eraseStays:
    'What was paid stays in the ledger, without a name. If they had opted out, a fingerprint stays that knows them if they come back.',
  eraseIt: (name: string) => `Erase ${name}`,
  erasing: 'Erasing…',
  keep: 'Keep',
  erased: (name: string, messages: number) =>
    messages === 0
      ? `${name} is erased.`
      : `${name} is erased, with ${count.format(messages)} ${messages === 1 ? 'message' : 'messages'}.`,
  ownerOnly: 'Only owners of the account can erase a contact.',
  thisContact: 'this contact',

  empty: 'No contacts yet.',
  emptySays:
    'People who write to you appear here by themselves. Add one here, or let your platform do it with this call.',
  copyCall: 'Copy as curl',
  nobody: (q: string) => `Nobody matches “${q}”.`,
  nobodySays: 'A part of the name, or the beginning of a phone number, an e-mail address or their ID is enough.',
  nobodyOnList: 'Nobody is on this list.',
  showAll: 'Show all contacts',
  gone: 'This contact is gone.',
  goneSays: 'It was erased, or the address is wrong.',
  close: 'Close',

  keys: { next: 'Next contact', previous: 'Previous contact', open: 'Open the contact', create: 'New contact' },
} as const
