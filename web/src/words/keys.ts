export const keyWords = {
  title: 'Keys',
  thisPage: 'This page',
  undo: 'Undo what the message names',
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
