import type { Kind } from './honest/log.ts'

/** One attack, what the honest tenant does meanwhile, and what it may see. */
export type Scenario = {
  name: string
  title: string
  /** What the honest tenant asks for in a second. */
  rates: Partial<Record<Kind, number>>
  /** The most that the 99th of a hundred may take, for each kind; `requests` are all but those named apart. */
  p99Ms: Partial<Record<Measured, number>>
  /** The honest tenant has a bot that answers at once. */
  hasBot?: boolean
  /** A database elsewhere, 150 ms away each way, that loses connections. */
  hasSlowDatabase?: boolean
  /** The database runs apart, and the server alone has so much memory. */
  memoryLimitMiB?: number
  /** The most memory that the server may ever take, in place of what it may grow by. */
  mostMiB?: number
  /** Answers of other kinds than 2xx that are no breach, because the way to the database breaks. */
  mayFail?: boolean
}

/** `replies`: from the answer to a message until its event arrives. `answers`: from a "Hello" to what the bot says. */
export type Measured = 'requests' | 'uploads' | 'replies' | 'answers'

/** A hundred requests a second, as an honest tenant makes them. */
const usual = { incoming: 60, find: 20, create: 20 }
const second = { requests: 1_000 }

export const scenarios: Scenario[] = [
  {
    name: 'calm',
    title: 'nobody attacks',
    rates: { incoming: 55, find: 20, create: 20, send: 5, hello: 5 },
    p99Ms: { ...second, replies: 1_000, answers: 1_000 },
    hasBot: true,
  },
  { name: 'wrong-keys', title: '100 sockets pipeline wrong keys', rates: usual, p99Ms: second },
  { name: 'readyz', title: '10 sockets pipeline 2,000 GET /readyz each', rates: usual, p99Ms: second },
  { name: 'healthz', title: '300 sockets ask for /healthz', rates: usual, p99Ms: second },
  { name: 'pipelined', title: '10,000 pipelined requests with a key', rates: usual, p99Ms: second },
  { name: 'locked-rows', title: '60 requests wait for rows that are held', rates: usual, p99Ms: second },
  {
    name: 'slow-database',
    title: 'the database is 150 ms away and 1 % of chunks reset',
    rates: { incoming: 50 },
    p99Ms: { requests: 2_000 },
    hasSlowDatabase: true,
    mayFail: true,
  },
  { name: 'held-contact', title: '50 messages to a contact that is held', rates: usual, p99Ms: second },
  {
    name: 'knowledge-import',
    title: 'a large knowledge file is imported again and again',
    rates: usual,
    p99Ms: second,
    mostMiB: 600, // the built-in model takes 200 MiB of it once it is asked
  },
  {
    name: 'receivers',
    title: '200 receivers hang',
    rates: { incoming: 40, find: 20, create: 20, send: 20 },
    p99Ms: { ...second, replies: 1_000 },
  },
  {
    name: 'models',
    title: '50 models hang',
    rates: { incoming: 55, find: 20, create: 20, hello: 5 },
    p99Ms: { ...second, answers: 1_000 },
    hasBot: true,
    mostMiB: 350, // the clients of language models take 60 MiB of it once one is asked
  },
  { name: 'open-bodies', title: '550 bodies of 1 MiB are held open', rates: usual, p99Ms: second },
  {
    name: 'slow-uploads',
    title: 'two accounts upload large bodies slowly',
    rates: { incoming: 59, find: 20, create: 20, upload: 1 },
    p99Ms: { ...second, uploads: 3_000 },
  },
  {
    name: 'upload-flood',
    title: '50 files of 10 MiB at a time',
    rates: usual,
    p99Ms: second,
    mostMiB: 600,
  },
  {
    name: 'memory-limit',
    title: 'several attacks at once on a server with 512 MiB',
    rates: usual,
    p99Ms: {},
    memoryLimitMiB: 512,
    mostMiB: 512,
    mayFail: true,
  },
  { name: 'growth', title: 'a million messages are there already', rates: usual, p99Ms: second },
  { name: 'retention', title: 'a million attempts are forgotten meanwhile', rates: usual, p99Ms: second },
]
