export const keyWords = {
  title: 'Keys',
  everywhere: 'Everywhere',
  goTo: 'Go to',
  palette: 'Search and commands',
  allKeys: 'All keys',
  inbox: 'Inbox',
  contacts: 'Contacts',
  lists: 'Lists',
  develop: 'Develop',
  settings: 'Settings',
} as const
