/** Everything that the panel says by itself, in one language. Words of the owner come with the settings. */
export type Words = {
  /** Dialog's name. */
  chatWith: (name: string) => string
  close: string
  messages: string
  message: string
  write: string
  attach: string
  send: string
  you: string
  assistant: string
  team: string
  today: string
  yesterday: string
  assistantAtOnce: string
  answersYou: (name: string) => string
  teamAnswersYou: string
  peopleAreHere: string
  peopleFrom: (when: string) => string
  leaveMessage: string
  joined: (name: string) => string
  assistantAgain: string
  isWriting: (name: string) => string
  sent: string
  sending: string
  waits: string
  stop: string
  tryAgain: string
  remove: string
  noConnection: string
  notSent: string
  tooLarge: string
  tooLong: string
  wrongType: string
  fileLost: string
  triedAgainIn: (seconds: number) => string
  veryMany: string
  closed: string
  gone: string
  expired: string
  writeFirst: string
  endsWithPage: string
  emailAsk: string
  emailKeep: string
  emailKept: string
  emailWrong: string
  emailFailed: string
  older: string
  loading: string
  newMessages: string
  before: string
  /** Bytes as a number of MB or KB. */
  ofBytes: (sent: string, all: string) => string
  noFile: string
  openFile: (name: string) => string
  keptBy: (name: string) => string
  privacy: string
  privacyText: (name: string) => string
  privacyPage: string
  deleteChat: string
  deleteAsk: string
  deleteNow: string
  deleteYes: string
  back: string
  deleted: string
  askedToDelete: (name: string) => string
  notDeleted: string
}
