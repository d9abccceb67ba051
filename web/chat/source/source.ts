import type {
  ChatEvents,
  ChatForgotten,
  ChatMarks,
  ChatPage,
  ChatPost,
  ChatPosted,
  ChatUploaded,
} from '@patchbay/contract/chat/protocol.ts'

/** Where the panel has everything from: the server, or samples. What is refused rejects, as `Refused` where it was answered. */
export type Source = {
  /** Messages after a number, before one, or the newest; null: there are none. `bearer`: of somebody else than who writes. */
  read: (where: Where, bearer?: string) => Promise<ChatPage | null>
  send: (post: ChatPost) => Promise<ChatPosted>
  upload: (file: File, tell: (sentBytes: number) => void, stop: AbortSignal) => Promise<ChatUploaded>
  mark: (marks: ChatMarks) => Promise<void>
  tellTyping: () => Promise<void>
  keepEmail: (email: string) => Promise<void>
  forget: () => Promise<ChatForgotten>
  /** What happens from now on, until the function that it returns is called. */
  follow: (on: Followed) => () => void
}

export type Where = { after: number } | { before: number } | 'newest'

export type FollowEvent = { [Name in keyof ChatEvents]: { name: Name; data: ChatEvents[Name] } }[keyof ChatEvents]

export type Followed = {
  /** The greatest number that is known. */
  after: () => number
  event: (event: FollowEvent) => void
  /** Instead of events, where no stream comes through. */
  page: (page: ChatPage) => void
  /** Whether the server can be reached. */
  reached: (isReached: boolean) => void
  refused: (error: unknown) => void
}
