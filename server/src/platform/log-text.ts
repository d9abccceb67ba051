import { styleText } from 'node:util'

/** Control characters, which a terminal may act on, and those that change the writing direction. */
export const controlCharacters = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

export type Lines = { write: (line: string) => void; flush: () => void }

type Event = { level: number; time: number; msg?: string; err?: Fault; process?: number } & Record<string, unknown>
type Fault = { message?: string; code?: string | number; stack?: string; cause?: Fault }

/**
 * The lines of the log for people: time, what happened, and its fields. What goes as it should for every request and every
 * delivery is left out, unless `showsAll`: it would push everything else off the screen, such as the first credentials.
 */
export function textLines({ write, flush }: Lines, { showsAll }: { showsAll: boolean }): Lines {
  return {
    write: (line) => {
      const event: Event = JSON.parse(line)
      if (showsAll || !isRoutine(event)) write(`${toText(event)}\n`)
    },
    flush,
  }
}

function isRoutine({ msg, status, outcome }: Event): boolean {
  return (msg === 'request' && Number(status) < 400) || (msg === 'delivery attempt' && outcome === 'sent')
}

function toText({ level, time, msg = '', err, process: number, ...fields }: Event): string {
  const at = new Date(time).toTimeString().slice(0, 8)
  const whose = number === undefined ? '' : ` [${number}]`
  const named = Object.entries(fields).map(([name, value]) => `${name}=${shown(value)}`)
  const said = [msg, ...(err?.message === undefined ? [] : [describe(err)])].join(': ')
  const calls = err?.stack?.split('\n').slice(1) ?? []
  const stack = calls.map((call) => `\n${shown(call, false)}`).join('')
  const text = [safe(said), ...(named.length > 0 ? [dim(named.join(' '))] : [])].join('  ')
  return `${dim(`${at}${whose}`)}  ${mark(level)}${text}${dim(stack)}`
}

/** Describes a fault with what caused it, which often alone says what is wrong. */
function describe({ message = '', code, cause }: Fault): string {
  const named = code === undefined || message.includes(String(code)) ? '' : ` (${code})`
  return `${shown(message)}${named}${cause ? `; because of ${describe(cause)}` : ''}`
}

/** Nothing before what is only said; a word before what somebody should look at. */
function mark(level: number): string {
  if (level >= 50) return styleText('red', 'error  ', onlyOnTerminal)
  return level >= 40 ? styleText('yellow', 'warning  ', onlyOnTerminal) : ''
}

const dim = (text: string) => (text === '' ? '' : styleText('dim', text, onlyOnTerminal))
const onlyOnTerminal = { stream: process.stderr }

function shown(value: unknown, quoted = true): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return quoted && typeof value === 'string' && /[\s"]/.test(text) && text.length < longest
    ? JSON.stringify(safe(text))
    : safe(text)
}

const longest = 2_000

/** Values may come from strangers, and a terminal would act on the escape sequences in them. */
function safe(text: string): string {
  return text.replace(controlCharacters, '\ufffd')
}
