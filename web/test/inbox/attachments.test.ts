import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import type { AttachedFile, ReplyWay } from '@patchbay/contract/app/messages.ts'
import { openAttachments } from '../../src/inbox/compose/attachments.ts'
import type { KeptRecords } from '../../src/inbox/compose/kept-records.ts'
import { openBrowser } from './helpers.ts'

/** A file that is ready ends after an hour, for which no test waits. Other files in this process have the time as it is. */
function testWithClock(name: string, run: () => Promise<void>): void {
  test(name, async () => {
    mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.parse('2026-11-19T10:00:00Z') })
    try {
      await run()
    } finally {
      mock.timers.reset()
    }
  })
}

const way: ReplyWay = {
  channelId: 'chn_1',
  channel: { label: 'chn_1', name: 'The shop', kind: null, colour: 1 },
  address: '@ana',
  whyNot: null,
  waits: null,
  hasFailed: false,
  fileBytes: { picture: 10, other: 20 },
  visitor: null,
  takenBy: null,
  stopped: null,
  countsSegments: false,
}

const fileOf = (name: string, bytes: number) => new File(['x'.repeat(bytes)], name, { type: 'text/plain' })

/** One tab, and a server whose answers the test gives. */
function openTab(kept: KeptRecords) {
  const uploads: {
    name: string
    progress: (bytes: number) => void
    answer: (file: Partial<AttachedFile>) => Promise<void>
    fail: () => Promise<void>
  }[] = []
  const dropped: string[] = []
  const attachments = openAttachments({
    kept,
    post: async (_contactId, { name, size }, { onProgress }) => {
      const { promise, resolve, reject } = Promise.withResolvers<AttachedFile>()
      uploads.push({
        name,
        progress: onProgress,
        answer: async (file) => {
          resolve({ id: `fil_${name}`, fileName: name, contentType: 'x', sizeBytes: size, isPicture: false, ...file })
          await settle()
        },
        fail: async () => {
          reject(new Error('cut'))
          await settle()
        },
      })
      return promise
    },
    drop: (_contactId, fileId) => void dropped.push(fileId),
    whyNot: ({ name, size }) => (size > 20 ? `${name} is too large.` : undefined),
    sayError: () => 'The server did not answer.',
  })
  const shown = () => {
    const { attached, fault } = attachments.get('con_1')
    return fault ?? (attached && `${attached.state} ${attached.name}`)
  }
  return { attachments, uploads, dropped, shown, attach: (...files: File[]) => attachments.attach('con_1', files, way) }
}

const settle = () => new Promise((done) => setImmediate(done))

testWithClock(
  'what is attached is there after a reload and in another tab, and gone from both once it is sent',
  async () => {
    const browser = openBrowser()
    const [one, other] = [openTab(browser.openTab()), openTab(browser.openTab())]
    one.attach(fileOf('a.txt', 3))
    assert.equal(one.shown(), 'uploading a.txt')
    assert.equal(other.shown(), undefined)
    await one.uploads[0]?.answer({})
    assert.deepEqual([one.shown(), other.shown()], ['ready a.txt', 'ready a.txt'])
    const reloaded = openTab(browser.openTab())
    assert.equal(reloaded.shown(), 'ready a.txt')
    reloaded.attachments.letGo('con_1')
    assert.deepEqual([one.shown(), other.shown(), browser.records.size], [undefined, undefined, 0])
    assert.deepEqual(reloaded.dropped, [], 'a file that was sent is deleted')
  },
)

testWithClock(
  'a file that did not get there is tried again, and nothing is left of one that was taken away on its way',
  async () => {
    const tab = openTab(openBrowser().openTab())
    tab.attach(fileOf('a.txt', 3))
    await tab.uploads[0]?.fail()
    const { attached } = tab.attachments.get('con_1')
    assert.ok(attached?.state === 'failed')
    assert.equal(attached.because, 'The server did not answer.')
    attached.again?.()
    assert.equal(tab.shown(), 'uploading a.txt')
    tab.attachments.takeAway('con_1')
    tab.uploads[1]?.progress(2)
    assert.equal(tab.shown(), undefined)
    await tab.uploads[1]?.answer({})
    assert.deepEqual([tab.shown(), tab.dropped], [undefined, ['fil_a.txt']])
  },
)

testWithClock(
  'the second of two that are chosen one after the other stays, in whatever order the server has them',
  async () => {
    const tab = openTab(openBrowser().openTab())
    tab.attach(fileOf('a.txt', 3))
    tab.attach(fileOf('b.txt', 3))
    await tab.uploads[1]?.answer({})
    await tab.uploads[0]?.answer({})
    assert.equal(tab.shown(), 'ready b.txt')
    assert.deepEqual(tab.dropped, ['fil_a.txt'])
  },
)

testWithClock('what the way does not take is said without an upload, and what is attached stays', async () => {
  const tab = openTab(openBrowser().openTab())
  tab.attach(fileOf('a.txt', 3))
  await tab.uploads[0]?.answer({})
  tab.attach(fileOf('large.txt', 21))
  assert.equal(tab.shown(), 'large.txt is too large.')
  assert.equal(tab.attachments.get('con_1').attached?.name, 'a.txt')
  assert.equal(tab.uploads.length, 1)
  tab.attach(fileOf('b.txt', 20), fileOf('c.txt', 3))
  assert.match(String(tab.shown()), /^One file goes with a message/)
  assert.deepEqual([tab.uploads.at(-1)?.name, tab.dropped], ['b.txt', ['fil_a.txt']])
})

testWithClock(
  'what the server has deleted after an hour cannot be sent: it says so, and is attached again with a click',
  async () => {
    const browser = openBrowser()
    const tab = openTab(browser.openTab())
    tab.attach(fileOf('a.txt', 3))
    await tab.uploads[0]?.answer({})
    const reloaded = openTab(browser.openTab())
    mock.timers.tick(3_600_000)
    for (const { attachments } of [tab, reloaded]) {
      const { attached } = attachments.get('con_1')
      assert.ok(attached?.state === 'failed')
      assert.match(attached.because, /^It is kept for an hour/)
    }
    assert.equal(browser.records.size, 0)
    const old = reloaded.attachments.get('con_1').attached
    assert.ok(old?.state === 'failed' && old.again === undefined, 'a page that does not have it cannot attach it again')
    const { attached } = tab.attachments.get('con_1')
    if (attached?.state === 'failed') attached.again?.()
    assert.equal(tab.shown(), 'uploading a.txt')
  },
)

testWithClock('the file of a reply that was refused comes back, unless another one is attached by then', async () => {
  const tab = openTab(openBrowser().openTab())
  const refused = { id: 'fil_1', name: 'a.txt', sizeBytes: 3, isPicture: false, goodUntil: Date.now() + 60_000 }
  tab.attachments.putBack('con_1', refused)
  assert.equal(tab.shown(), 'ready a.txt')
  tab.attachments.putBack('con_1', { ...refused, id: 'fil_2', name: 'b.txt' })
  assert.equal(tab.shown(), 'One file goes with a message: b.txt was left out.')
  assert.deepEqual([tab.attachments.get('con_1').attached?.name, tab.dropped], ['a.txt', ['fil_2']])
  tab.attachments.takeAway('con_1')
})
