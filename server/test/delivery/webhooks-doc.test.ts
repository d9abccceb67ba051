import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { newSecret, sign, signingKey } from '../../src/delivery/attempt/signature.ts'

const text = await readFile(resolve(import.meta.dirname, '../../../docs/webhooks.md'), 'utf8')
const codeIn = (language: string) => new RegExp(`^\`\`\`${language} verify\n(.*?)^\`\`\``, 'ms').exec(text)?.[1] ?? ''

const secret = newSecret()
const body = '{"body":"Schön 🌱"}'

/** Requests to verify, and whether they are from us. */
function cases(): [name: string, headers: Record<string, string>, body: string, isOurs: boolean][] {
  const now = Math.floor(Date.now() / 1000)
  const headersAt = (timestamp: number, keys = [secret]) => ({
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': sign(keys.map(signingKey), { id: 'msg_1', timestamp, body }),
  })
  const good = headersAt(now)
  return [
    ['ours', good, body, true],
    ['with an old secret too', headersAt(now, [newSecret(), secret]), body, true],
    ['of another secret', headersAt(now, [newSecret()]), body, false],
    ['another body', good, `${body} `, false],
    ['another id', { ...good, 'webhook-id': 'msg_2' }, body, false],
    ['sent again later', headersAt(now - 301), body, false],
    ['from the future', headersAt(now + 400), body, false],
    ['no signature', { 'webhook-id': 'msg_1', 'webhook-timestamp': String(now) }, body, false],
    ['no headers', {}, body, false],
    ['another version', { ...good, 'webhook-signature': `v2${good['webhook-signature'].slice(2)}` }, body, false],
  ]
}

/** Node always; Python and PHP where they are installed. */
const runners: [language: string, command: string, args: (code: string) => string[]][] = [
  [
    'js',
    process.execPath,
    (code) => [
      '--input-type=module',
      '-e',
      `${code}\nconst [secret, all] = JSON.parse(process.argv[1])
console.log(JSON.stringify(all.map(([headers, body]) => isFromPatchbay(secret, headers, Buffer.from(body)))))`,
    ],
  ],
  [
    'python',
    'python3',
    (code) => [
      '-c',
      `${code}\nimport json, sys
secret, all = json.loads(sys.argv[1])
print(json.dumps([is_from_patchbay(secret, headers, body.encode()) for headers, body in all]))`,
    ],
  ],
  [
    'php',
    'php',
    (code) => [
      '-r',
      `${code.replace('<?php', '')}\n[$secret, $all] = json_decode($argv[1], true);
echo json_encode(array_map(fn($one) => is_from_patchbay($secret, $one[0], $one[1]), $all));`,
      '--',
    ],
  ],
]

for (const [language, command, args] of runners) {
  test(`the ${language} example of webhooks.md accepts what we signed, and nothing else`, async (t) => {
    const code = codeIn(language)
    assert.notEqual(code, '')
    const all = cases()
    const given = JSON.stringify([secret, all.map(([, headers, sent]) => [headers, sent])])
    const run = await promisify(execFile)(command, [...args(code), given]).catch((error) => {
      if (error.code !== 'ENOENT') throw error
      t.diagnostic(`${command} is not installed; the example was found and not run`)
      return undefined
    })
    if (!run) return
    const verdicts = JSON.parse(run.stdout)
    assert.deepEqual(
      all.map(([name], at) => [name, verdicts[at]]),
      all.map(([name, , , isOurs]) => [name, isOurs]),
    )
  })
}
