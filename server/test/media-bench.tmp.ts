import { randomBytes } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import { pino } from 'pino'
import { test } from 'node:test'
import { readGivenMedia } from '../src/media/read-given.ts'
import { storeMedia, readMedia } from '../src/media/store.ts'
import { openDb } from '../src/platform/db.ts'
import { newId } from '../src/platform/ids.ts'
import { makeDatabase } from './databases.ts'
async function lag<T>(n: string, f: () => Promise<T>): Promise<T> {
  let max = 0, last = performance.now(), on = true
  const tick = () => { const x = performance.now(); max = Math.max(max, x - last); last = x; if (on) setImmediate(tick) }
  setImmediate(tick); await new Promise(r => setTimeout(r, 20)); max = 0
  const a = performance.now(); const r = await f().catch((e: Error) => e.message as never); const ms = performance.now() - a
  await new Promise(r => setTimeout(r, 5)); on = false
  console.log(n, ms.toFixed(1), 'longest block', max.toFixed(1)); return r
}
test('x', async () => {
  await using d = await makeDatabase()
  const db = openDb(d.address, pino({ enabled: false }))
  const M = 10 * 1024 * 1024
  const cases: [string, Buffer][] = [['application/octet-stream', randomBytes(M)], ['text/plain', Buffer.alloc(M, 'BMW ')], ['image/png', Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), randomBytes(M - 16)])], ['application/zip', Buffer.concat([Buffer.from('504b030414000800', 'hex'), Buffer.alloc(18), Buffer.from('0100000061', 'hex'), Buffer.alloc(M - 40, Buffer.from('504b0708', 'hex'))])]]
  for (let i = 0; i < 3; i++) for (const [t, b] of cases) {
    const s = JSON.parse(JSON.stringify(`data:${t};base64,${b.toString('base64')}`))
    await lag('read ' + t, () => readGivenMedia(s, t))
    await lag('read bad end', () => readGivenMedia(s.slice(0, -1) + '!', t))
    await lag('read bad start', () => readGivenMedia(s.replace('base64,', 'base64,!'), t))
  }
  for (let i = 0; i < 4; i++) { const b = randomBytes(M), acc = newId('acc')
    const id = await lag('store', () => db.transaction().execute(tx => storeMedia(tx, acc, { contentType: 'a/b', bytes: b })))
    await lag('store again', () => db.transaction().execute(tx => storeMedia(tx, acc, { contentType: 'a/b', bytes: b })))
    await lag('read back', async () => { for await (const _ of readMedia(db, acc, id)); }) 
    await lag('store 5k', () => db.transaction().execute(tx => storeMedia(tx, acc, { contentType: 'a/b', bytes: randomBytes(5000) }))) }
  await db.destroy()
})
