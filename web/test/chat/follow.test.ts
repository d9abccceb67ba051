import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { ChatPage } from '@patchbay/contract/chat/protocol.ts'
import { follow } from '../../chat/source/follow.ts'
import { openEventReader } from '../../chat/source/read-events.ts'
import type { Followed } from '../../chat/source/source.ts'

test('events are read wherever the pieces of the stream end', () => {
  const text = ':\n\nid: 1\nevent: message\ndata: {"a":\ndata: 1}\n\nevent: state\r\ndata: {}\r\n\r\ndata: x\n\n'
  const whole = openEventReader()(text)
  assert.deepEqual(whole, [
    { name: 'message', data: '{"a":\n1}' },
    { name: 'state', data: '{}' },
    { name: 'message', data: 'x' },
  ])
  for (const size of [1, 2, 3, 7]) {
    const read = openEventReader()
    const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
      text.slice(at * size, (at + 1) * size),
    )
    assert.deepEqual(pieces.flatMap(read), whole, `in pieces of ${size}`)
  }
})

const hello = 'event: hello\ndata: {"installation":"one","state":{},"last":0}\n\n'

/** A stream that a test writes to, and cuts. */
function openPipe() {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const body = new ReadableStream<Uint8Array>({
    start: (given) => {
      controller = given
    },
  })
  const encoder = new TextEncoder()
  return {
    response: new Response(body),
    write: (text: string) => controller?.enqueue(encoder.encode(text)),
    cut: () => controller?.error(new TypeError('cut')),
  }
}

type Opened = ReturnType<typeof openPipe> | Error

function start(t: TestContext, opened: () => Opened, page: ChatPage | null = null, after = () => 4) {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  const log: string[] = []
  const on: Followed = {
    after,
    event: ({ name }) => log.push(name),
    page: () => log.push('page'),
    reached: (is) => log.push(is ? 'reached' : 'not reached'),
    refused: () => log.push('refused'),
  }
  const stop = follow(
    {
      open: async (after, signal) => {
        log.push(`stream ${after}`)
        const pipe = opened()
        if (pipe instanceof Error) throw pipe
        signal.addEventListener('abort', () => pipe.cut())
        return pipe.response
      },
      poll: async (after) => {
        log.push(`poll ${after}`)
        return { page, againMs: 3_000 }
      },
      random: () => 0.5,
    },
    on,
  )
  const settle = async () => {
    for (let turn = 0; turn < 20; turn += 1) await new Promise((done) => setImmediate(done))
  }
  const pass = async (ms: number) => {
    t.mock.timers.tick(ms)
    await settle()
  }
  return { log, stop, settle, pass, take: () => log.splice(0) }
}

test('without a word of the stream in 5 s it is asked again and again instead, and the stream is tried after 5 minutes', async (t) => {
  const { take, pass, settle, stop } = start(t, openPipe)
  await settle()
  assert.deepEqual(take(), ['stream 4'])
  await pass(5_000)
  assert.deepEqual(take(), ['poll 4', 'reached'])
  await pass(3_000)
  assert.deepEqual(take(), ['poll 4', 'reached'])
  stop()
  await pass(600_000)
  assert.deepEqual(take(), [], 'what was stopped asks for nothing')
})

test('a stream that was cut is opened again after a while from the last number, and is given up by silence', async (t) => {
  const pipes: ReturnType<typeof openPipe>[] = []
  const { take, pass, settle, stop } = start(t, () => {
    const pipe = openPipe()
    pipes.push(pipe)
    return pipe
  })
  await settle()
  pipes[0]?.write(hello)
  await settle()
  assert.deepEqual(take(), ['stream 4', 'reached', 'hello'])
  await pass(59_000)
  pipes[0]?.write(':\n\n')
  await settle()
  await pass(59_000)
  assert.deepEqual(take(), [], 'a comment is a word')
  await pass(1_000)
  assert.deepEqual(take(), [], 'it waits before it opens another one')
  await pass(5_000)
  assert.deepEqual(take(), ['stream 4'])
  stop()
})

test('who is refused asks once a minute, and after the end of a chat not at all', async (t) => {
  const refusal = Object.assign(new Error('closed'), { status: 403, reason: 'closed', againMs: undefined })
  const { take, pass, settle, stop } = start(t, () => refusal)
  await settle()
  assert.deepEqual(take(), ['stream 4', 'refused'])
  await pass(59_000)
  assert.deepEqual(take(), [])
  await pass(1_000)
  assert.deepEqual(take(), ['stream 4', 'refused'])
  stop()
})

test('a stream that the server ends for good is not opened again', async (t) => {
  const pipe = openPipe()
  const { take, pass, settle } = start(t, () => pipe)
  await settle()
  pipe.write(`${hello}event: end\ndata: {"why":"closed"}\n\n`)
  await settle()
  assert.deepEqual(take(), ['stream 4', 'reached', 'hello', 'end'])
  await pass(600_000)
  assert.deepEqual(take(), [])
})

test('a window too many asks now and then, and takes the place of no other', async (t) => {
  const pipe = openPipe()
  const { take, pass, settle, stop } = start(t, () => pipe)
  await settle()
  pipe.write(`${hello}event: end\ndata: {"why":"full"}\n\n`)
  await settle()
  assert.deepEqual(take(), ['stream 4', 'reached', 'hello', 'end', 'poll 4', 'reached'])
  await pass(60_000)
  assert.ok(take().every((what) => what !== 'stream 4'))
  stop()
})

test('who has no chat yet is asked for now and then, and has a stream once there is one', async (t) => {
  let last = 0
  const { take, pass, settle, stop } = start(t, openPipe, null, () => last)
  await settle()
  await pass(3_000)
  assert.deepEqual(take(), ['poll 0', 'reached', 'poll 0', 'reached'])
  last = 1
  await pass(3_000)
  assert.deepEqual(take(), ['stream 1'])
  stop()
})
