import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { describeWebhooks } from '../../../scripts/describe-webhooks.ts'
import { newSecret, sign, signingKey } from '../../../src/journey/delivery/transports/webhook/signing-keys.ts'
import { freePort } from '../../helpers/free-port.ts'
import { until } from '../../helpers/until.ts'

const root = resolve(import.meta.dirname, '../../../..')
const examples = join(root, 'web/src/develop/reference/verify')
const secret = newSecret()
const body = '{"body":"Schön 🌱"}'

type Case = [name: string, headers: Record<string, string>, body: string, isOurs: boolean]

/** Requests to verify, and whether they are from us. */
function cases(): Case[] {
  const now = Math.floor(Date.now() / 1000)
  const headersAt = (timestamp: number, keys = [secret]) => ({
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': sign(keys.map(signingKey), { id: 'msg_1', timestamp, body }),
  })
  const good = headersAt(now)
  const upperCase = Object.fromEntries(Object.entries(good).map(([name, value]) => [name.toUpperCase(), value]))
  return [
    ['ours', good, body, true],
    ['ours, with header names as some servers write them', upperCase, body, true],
    ['with an old secret too', headersAt(now, [newSecret(), secret]), body, true],
    ['of another secret', headersAt(now, [newSecret()]), body, false],
    ['another body', good, `${body} `, false],
    ['another id', { ...good, 'webhook-id': 'msg_2' }, body, false],
    ['sent again later', headersAt(now - 301), body, false],
    ['from the future', headersAt(now + 400), body, false],
    ['no signature', { 'webhook-id': 'msg_1', 'webhook-timestamp': String(now) }, body, false],
    ['no timestamp', { 'webhook-id': 'msg_1', 'webhook-signature': good['webhook-signature'] }, body, false],
    ['no headers', {}, body, false],
    ['another version', { ...good, 'webhook-signature': `v2${good['webhook-signature'].slice(2)}` }, body, false],
    ['no base64', { ...good, 'webhook-signature': 'v1,²²² v1 ,' }, body, false],
    ['a time that is no number', { ...good, 'webhook-timestamp': '²' }, body, false],
    ['a time with thousands of digits', { ...good, 'webhook-timestamp': '9'.repeat(5_000) }, body, false],
  ]
}

/** A receiver in each language, as its readers write it, with the headers that its own server hands over. */
const receivers: [language: string, file: string, command: string, args: (port: number) => string[], code: string][] = [
  [
    'Node',
    'verify.js',
    process.execPath,
    (port) => ['receiver.js', String(port)],
    `import { createServer } from 'node:http'
import { isFromPatchbay } from './verify.js'
createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray())
  const verdicts = [request.headers, new Headers(request.headers)].map((headers) => isFromPatchbay(process.env.SECRET, headers, body))
  response.end(verdicts[0] === verdicts[1] ? String(verdicts[0]) : 'differs')
}).listen(Number(process.argv[2]), '127.0.0.1')`,
  ],
  [
    'Python',
    'verify.py',
    'python3',
    (port) => ['receiver.py', String(port)],
    `import os, sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from verify import is_from_patchbay
class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        verdicts = [is_from_patchbay(os.environ["SECRET"], headers, body) for headers in (self.headers, dict(self.headers))]
        self.send_response(200)
        self.end_headers()
        self.wfile.write(str(verdicts[0] if verdicts[0] == verdicts[1] else "differs").lower().encode())
    def log_message(self, *_): pass
HTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver).serve_forever()`,
  ],
  [
    'PHP',
    'verify.php',
    'php',
    (port) => ['-S', `127.0.0.1:${port}`, 'receiver.php'],
    `<?php
require 'verify.php';
echo json_encode(is_from_patchbay(getenv('SECRET'), getallheaders(), file_get_contents('php://input')));`,
  ],
]

for (const [language, file, command, args, code] of receivers) {
  test(`the ${language} example accepts what we signed, and nothing else, and no post ends it`, async (t) => {
    await using started = new AsyncDisposableStack()
    const folder = await mkdtemp(join(tmpdir(), 'patchbay-verify-'))
    started.defer(() => rm(folder, { recursive: true, force: true }))
    await writeFile(join(folder, file), await readFile(join(examples, file)))
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    await writeFile(join(folder, file.replace('verify', 'receiver')), code)
    const port = await freePort()
    const { PATH = '' } = process.env
    const child = spawn(command, args(port), { cwd: folder, env: { PATH, SECRET: secret }, stdio: 'ignore' })
    const missing = await Promise.race([once(child, 'spawn'), once(child, 'error')]).catch((error) => error)
    if (missing?.code === 'ENOENT') return t.diagnostic(`${command} is not installed; the example was not run`)
    const exited = once(child, 'exit')
    started.defer(async () => {
      child.kill('SIGKILL')
      await exited
    })
    const answers = () =>
      verdictOf(port, ['hello', {}, '', false])
        .then(() => true)
        .catch(() => false)
    await until(answers, `The receiver in ${language} does not answer.`)
    const all = cases()
    const verdicts = []
    for (const one of all) verdicts.push([one[0], await verdictOf(port, one)])
    assert.deepEqual(
      verdicts,
      all.map(([name, , , isOurs]) => [name, String(isOurs)]),
    )
  })
}

test('webhooks.md shows the same code as the app', async () => {
  assert.equal(
    await readFile(join(root, 'docs/webhooks.md'), 'utf8'),
    await describeWebhooks(root),
    'run: npm run generate',
  )
})

async function verdictOf(port: number, [, headers, text]: Case): Promise<string> {
  const bytes = Buffer.from(text)
  const sent = request({
    port,
    host: '127.0.0.1',
    method: 'POST',
    headers: { ...headers, 'content-length': bytes.length },
    agent: false,
  })
  sent.end(bytes)
  const [answer] = await once(sent, 'response')
  return Buffer.concat(await answer.toArray()).toString()
}
