const count = new Intl.NumberFormat()

export const listWords = {
  title: 'Lists',
  nav: 'Lists',
  newList: 'New list',
  name: 'Name',
  nameHint: 'Such as Spring sale 2026.',
  nameMissing: 'Give it a name.',
  create: 'Create list',
  creating: 'Creating…',
  made: (name: string) => `${name} is made. Its ID is ready to copy.`,
  rename: 'Rename',
  newName: 'New name',
  saveName: 'Save',
  saving: 'Saving…',
  cancel: 'Cancel',
  number: (n: number) => count.format(n),
  members: (n: number) => (n === 1 ? '1 member' : `${count.format(n)} members`),
  optedOut: (n: number) => `${count.format(n)} opted out`,
  madeOn: (date: string) => `made ${date}`,

  deleteList: 'Delete list',
  deleteAsk: (name: string) => `Delete ${name}?`,
  deleteGoes: (members: number) =>
    members === 0
      ? 'The list has no members. Calls that name its ID are answered with 404 LIST_NOT_FOUND from then on.'
      : `${members === 1 ? '1 contact is' : `${count.format(members)} contacts are`} taken off it and stay in your contacts. Calls that name its ID are answered with 404 LIST_NOT_FOUND from then on.`,
  deleteIt: 'Delete this list',
  deleting: 'Deleting…',
  keep: 'Keep it',
  deleted: (name: string) => `${name} is deleted. Its contacts stay.`,

  id: 'List ID',
  idSays: 'What your platform names in the address.',
  copyId: 'list ID',
  copyCall: 'Copy as curl',

  search: 'Search members',
  searchHint: (n: number) => (n === 1 ? 'Search 1 member' : `Search ${count.format(n)} members`),
  add: 'Add a contact',
  addHint: 'Add: name, phone or con_…',
  onTheList: 'on the list',
  nobodyToAdd: (q: string) => `Nobody matches “${q}”.`,
  searching: 'Searching…',
  table: (name: string) => `Members of ${name}`,
  columns: { name: 'Name', phone: 'Phone', email: 'E-mail', added: 'Added', actions: 'Actions' },
  remove: 'Remove',
  removeName: (name: string) => `Remove ${name} from the list`,
  removed: (name: string, list: string) => `${name} is off ${list}.`,
  added: (name: string, list: string) => `${name} is on ${list}.`,

  noMembers: 'No members yet.',
  noMembersSays: 'Add one here, or let your platform do it with this call.',
  nobody: (q: string) => `No member matches “${q}”.`,
  clearSearch: 'Show all members',
  empty: 'No lists yet.',
  emptySays: 'A list is a name for some of your contacts. Your platform adds people to it by its ID.',
  gone: 'This list is gone.',
  goneSays: 'Somebody deleted it, or the address is wrong.',
  toLists: 'All lists',

  keys: { next: 'Next member', previous: 'Previous member', create: 'New list' },
} as const
