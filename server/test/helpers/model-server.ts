import type { ServerResponse } from 'node:http'
import { setInterval } from 'node:timers'
import { type Received, type Receiver, startReceiver } from './receivers.ts'

/** A request to the model, in any of the protocols. */
export type Asked = {
  protocol: Protocol
  key: string | undefined
  model: string
  system: string
  messages: { role: string; text: string }[]
  maxTokens: number
  hasSchema: boolean
  request: Received
}

type Protocol = 'chat' | 'responses' | 'messages'

/** The model's response: a text, a text with details, or a fault. */
export type Reply = string | Spoken | Fault

type Spoken = { text: string; finish?: 'stop' | 'length' | 'refusal' | 'filter'; usage?: [number, number] | null }

/** Writes the response itself. */
export type Fault = (response: ServerResponse) => unknown

export type ModelServer = Receiver & { asked: Asked[] }

/** A local server that speaks the protocols of OpenAI (both) and Anthropic, and records its requests. */
export async function startModelServer(say: (asked: Asked) => Reply): Promise<ModelServer> {
  const asked: Asked[] = []
  const server = await startReceiver((request, response) => {
    const protocol = protocols[request.path]
    if (!protocol) return sendJson(response, 404, { error: { message: 'no such path', type: 'not_found_error' } })
    const question = read(protocol, request)
    asked.push(question)
    const reply = say(question)
    if (typeof reply === 'function') return reply(response)
    return sendJson(response, 200, write(question, typeof reply === 'string' ? { text: reply } : reply))
  })
  return { ...server, asked }
}

const protocols: Record<string, Protocol | undefined> = {
  '/v1/chat/completions': 'chat',
  '/v1/responses': 'responses',
  '/v1/messages': 'messages',
}

/** The output format that the engine requests. */
export function json(reply: string, entries: string[] = ['k1'], action = 'answer'): string {
  return JSON.stringify({ action, reply, entries })
}

export function fail(status: number, headers: Record<string, string> = {}, error: unknown = undefined): Fault {
  const body = { error: error ?? { message: 'something is wrong', type: 'some_error', code: null, param: null } }
  return (response) => sendJson(response, status, body, headers)
}

export const faults = {
  silence: () => {},
  html: (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Welcome to nginx</html>'),
  brokenJson: (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"choices": [{'),
  noChoices: (response) => sendJson(response, 200, { id: 'x', model: 'x', choices: [] }),
  huge: (response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(`"${'x'.repeat(10_000_000)}"`),
  resetInBody: (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' }).write('{"id":')
    setTimeout(() => response.socket?.resetAndDestroy(), 20)
  },
  drip: (response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const dripping = setInterval(() => response.write(' '), 100)
    response.on('close', () => clearInterval(dripping))
  },
} satisfies Record<string, Fault>

function sendJson(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

type Content = string | { text?: string }[]

type Body = {
  model: string
  system?: Content
  messages?: { role: string; content: Content }[]
  input?: { role: string; content: Content }[]
  max_tokens?: number
  max_output_tokens?: number
  response_format?: { json_schema?: unknown }
  text?: { format?: unknown }
  tools?: unknown
  output_config?: { format?: unknown }
}

function read(protocol: Protocol, request: Received): Asked {
  const body: Body = JSON.parse(request.body.toString())
  const all = (body.messages ?? body.input ?? []).map(({ role, content }) => ({ role, text: textOf(content) }))
  const isSystem = ({ role }: { role: string }) => role === 'system' || role === 'developer'
  const { authorization, 'x-api-key': key } = request.headers
  return {
    protocol,
    key: String(key ?? authorization?.replace(/^Bearer /, '') ?? ''),
    model: body.model,
    system: [textOf(body.system ?? ''), ...all.filter(isSystem).map(({ text }) => text)].join(''),
    messages: all.filter((message) => !isSystem(message)),
    maxTokens: body.max_tokens ?? body.max_output_tokens ?? 0,
    hasSchema: Boolean(
      body.response_format?.json_schema ?? body.text?.format ?? body.output_config?.format ?? body.tools,
    ),
    request,
  }
}

function textOf(content: Content): string {
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('')
}

function write({ protocol, model, request }: Asked, { text, finish = 'stop', usage }: Spoken): unknown {
  const [input, output] = usage ?? [Math.round(request.body.length / 4), Math.round(text.length / 4)]
  const isCounted = usage !== null
  switch (protocol) {
    case 'chat':
      return {
        id: 'chatcmpl-1',
        object: 'chat.completion',
        created: 1,
        model,
        choices: [
          {
            index: 0,
            message: {
              role: 'assistant',
              ...(finish === 'refusal' ? { content: null, refusal: text } : { content: text }),
            },
            finish_reason: { stop: 'stop', length: 'length', refusal: 'stop', filter: 'content_filter' }[finish],
          },
        ],
        ...(isCounted
          ? { usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output } }
          : {}),
      }
    case 'responses': {
      const cut = { length: 'max_output_tokens', filter: 'content_filter', stop: undefined, refusal: undefined }[finish]
      const part =
        finish === 'refusal' ? { type: 'refusal', refusal: text } : { type: 'output_text', text, annotations: [] }
      return {
        id: 'resp_1',
        object: 'response',
        created_at: 1,
        status: cut ? 'incomplete' : 'completed',
        incomplete_details: cut ? { reason: cut } : null,
        model,
        output: [{ type: 'message', id: 'msg_1', status: 'completed', role: 'assistant', content: [part] }],
        ...(isCounted ? { usage: { input_tokens: input, output_tokens: output, total_tokens: input + output } } : {}),
      }
    }
    case 'messages': {
      const tool = 'tools' in JSON.parse(request.body.toString()) && finish === 'stop' ? objectIn(text) : undefined
      const part = tool ? { type: 'tool_use', id: 'tool_1', name: 'json', input: tool } : { type: 'text', text }
      const ends = { stop: tool ? 'tool_use' : 'end_turn', length: 'max_tokens', refusal: 'refusal', filter: 'refusal' }
      return {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model,
        content: [part],
        stop_reason: ends[finish],
        stop_sequence: null,
        usage: { input_tokens: input, output_tokens: output },
      }
    }
  }
}

/** With a forced tool call, the object is the tool's input. */
function objectIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
