/*
 * What the chat on a shop's page and the server say to each other. The chat in the browser has no packages, so this file has
 * none either: values and types, nothing to run.
 */

/** The languages of the chat's own words; the first is that of a browser that speaks none of those a channel offers. */
export const chatLanguages = ['en', 'de', 'fr', 'es', 'ar'] as const
export type ChatLanguage = (typeof chatLanguages)[number]

/** Sizes that a visitor can meet. */
export const chatLimits = {
  /** Of a message, in UTF-16 code units. */
  textUnits: 4_000,
  fileBytes: 10 * 1024 * 1024,
  pageCharacters: 512,
  emailCharacters: 254,
  /** Messages of one answer. */
  page: 50,
} as const

/** What the owner has written in one language of the chat. */
export type ChatWords = {
  /** The first message; it is shown and never stored. */
  greeting: string
  /** On the button; empty: only its mark. */
  button: string
  /** Below the field for a message, before the link; empty: "Kept by" and the name. */
  privacy: string
  privacyUrl: string | null
}

/** What the loader carries: everything that is shown before somebody writes. */
export type ChatSettings = {
  /** The channel's id. */
  id: string
  /** Where the server is: the origin of the loader's own address is used where this is empty. */
  origin: string
  name: string
  colour: string
  scheme: 'auto' | 'light' | 'dark'
  corner: 'left' | 'right'
  /** Where the browser's key is kept: for a year, or in the tab until the page says that it may. */
  keeps: 'year' | 'tab'
  /** No launcher for those who have no chat yet. */
  isPaused: boolean
  /** Where it may be shown: `host`, `*.host`, with a port where it is not that of the scheme. */
  pages: string[]
  takesFiles: boolean
  tellsPage: boolean
  asksEmail: boolean
  members: 'off' | 'may' | 'must'
  deletes: 'ask' | 'at once'
  languages: ChatLanguage[]
  words: Partial<Record<ChatLanguage, ChatWords>>
  /** When people answer, for eight days from the making of the loader, as milliseconds since 1970; null: always. */
  hours: [from: number, to: number][] | null
  /** The bot answers at once. */
  hasBot: boolean
  /** The file of the panel in each language, relative to the loader. */
  panels: Partial<Record<ChatLanguage, string>>
}

/** A message as its visitor sees it. `seq`: its number, unique and ascending in the chat, with gaps. */
export type ChatMessage = {
  seq: number
  /** Milliseconds since 1970. */
  at: number
  from: 'visitor' | 'bot' | 'person'
  /** The first name of the person, where the owner lets it be shown. */
  name: string | null
  text: string
  /** Of a visitor's message: the id that their browser gave it. */
  id: string | null
  choices: ChatChoice[]
  file: ChatFile | null
}

export type ChatChoice = { id: string; title: string }

/** `url`: where it is fetched, for an hour; null: it is not here (any more). */
export type ChatFile = {
  name: string
  contentType: string
  sizeBytes: number | null
  url: string | null
  isPicture: boolean
}

/** A line between messages: it comes after the message with this number. */
export type ChatLine = { id: string; seq: number; at: number; is: 'joined' | 'assistant again'; name: string | null }

/** Who answers now. `name`: of the person who has the conversation. */
export type ChatState = {
  by: 'bot' | 'person' | 'nobody'
  name: string | null
  /** People are there by the owner's hours. */
  isOpen: boolean
  /** When they are next, as milliseconds since 1970; null: now, or nobody knows. */
  opensAt: number | null
  /** Nobody is there, or has answered for three minutes: an e-mail address may be asked for. */
  mayAskEmail: boolean
}

/*
 * Who asks is in `Authorization: Bearer …` alone: `b.` and the key that the browser has made, or `j.` and a token that the shop has
 * signed. With both, `j.… b.…`, a member asks for the chat that their browser had before they signed in.
 */

/** `POST messages`. The same `id` again is the same message. */
export type ChatPost = {
  /** A UUID of the browser. */
  id: string
  text: string
  /** The entry that a button offered; `text` is its title. */
  choice?: string
  fileId?: string
  /** Origin and path of the page. */
  page?: string
  language: ChatLanguage
  /** With a member's first message: the key of the chat that this browser had before they signed in. */
  browser?: string
}
export type ChatPosted = { seq: number; at: number; text: string }

/** `GET messages`. `last`: the greatest number of the chat, so that a browser ahead of it knows of a restored copy. */
export type ChatPage = {
  installation: string
  messages: ChatMessage[]
  lines: ChatLine[]
  state: ChatState
  last: number
  /** There are older ones; pass the least number as `before`. */
  hasOlder: boolean
  /** The greatest number of their messages that is read in the browser, as it has said. */
  read: number
}

/** `POST marks`: numbers up to which messages have arrived in the browser, and were in view. */
export type ChatMarks = { delivered: number; read: number }
/** `POST files?name=`, with the bytes as the body. */
export type ChatUploaded = { fileId: string }
/** `POST email`. */
export type ChatEmail = { email: string }
/** `POST forget`: whether it is gone, or somebody was asked to do it. */
export type ChatForgotten = { is: 'gone' | 'asked' }

/** The stream's events, by their `event:` names. The `id:` of a message is its number. */
export type ChatEvents = {
  hello: { installation: string; state: ChatState; last: number }
  message: ChatMessage
  line: ChatLine
  state: ChatState
  /** Somebody is writing; until then, milliseconds from now. */
  typing: { forMs: number; by: 'bot' | 'person' }
  /** What the browser has shown never happened here: it empties itself and reads anew. */
  reset: Record<string, never>
  end: { why: ChatRefusal }
}

/**
 * Why the server refuses, in the `reason` of an error. `ended`: the key is known no more. `closed`: somebody has closed the chat.
 * `full`: very many are writing. `identity_refused`: the token says what is not so, `identity_expired`: not any more.
 */
export type ChatRefusal =
  | 'ended'
  | 'closed'
  | 'full'
  | 'slow down'
  | 'identity_refused'
  | 'identity_expired'
  | 'identity_wanted'
  | 'gone'
export type ChatError = { error: string; message: string; reason?: ChatRefusal }
