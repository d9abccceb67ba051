import { behindProxy } from '../common/website-chat.ts'
import type { Kind } from './normal-client/log.ts'

/** One attack, what the normal tenant does meanwhile, and which limits apply. */
export type Scenario = {
  name: string
  title: string
  /** Requests of the normal tenant in a second. */
  rates: Partial<Record<Kind, number>>
  /** Limits of the p99 for each kind; `requests` are all without a kind of their own. */
  p99Ms: Partial<Record<Measured, number>>
  /** The normal tenant has a bot that answers at once. */
  hasBot?: boolean
  /** A remote database with 150 ms of latency each way, that loses connections. */
  hasSlowDatabase?: boolean
  /** The database runs outside, and the server alone has this much memory. */
  memoryLimitMiB?: number
  /** Limit of the server's memory, instead of the limit of its growth. */
  mostMiB?: number
  /** Settings of the server. */
  environment?: Record<string, string>
  /** Answers other than 2xx break no rule, because the connection to the database fails. */
  mayFail?: boolean
}

/**
 * `visitors` and `app`: of all requests those of a website chat and of somebody in the app. `replies`: from the answer to a message
 * until its event arrives. `answers`: from a "Hello" to the reply of the bot.
 */
export type Measured = 'requests' | 'visitors' | 'app' | 'uploads' | 'replies' | 'answers'

/** A hundred requests a second, as a normal tenant makes them. */
const usual = { incoming: 60, find: 20, create: 20 }
/** The same with somebody at work in the app. */
const withApp = { ...usual, app: 10 }
const second = { requests: 1_000 }
const besideStrangers = {
  rates: { ...withApp, send: 5, chat: 10 },
  p99Ms: { ...second, visitors: 1_000, app: 1_000, replies: 1_000 },
  environment: behindProxy,
  mostMiB: 500, // what 50,000 addresses and as many networks have had takes 60 MiB of it; the rest is not collected yet
}
const besideStreams = { ...besideStrangers, mostMiB: 900 } // 4,500 connections take 400 MiB of it

export const scenarios: Scenario[] = [
  {
    name: 'calm',
    title: 'no attack',
    rates: { incoming: 55, find: 20, create: 20, send: 5, hello: 5, app: 10 },
    p99Ms: { ...second, replies: 1_000, answers: 1_000 },
    hasBot: true,
  },
  { name: 'wrong-keys', title: '100 sockets pipeline wrong keys', rates: usual, p99Ms: second },
  { name: 'random-cookies', title: '100 sockets pipeline random session cookies', rates: withApp, p99Ms: second },
  { name: 'random-links', title: '100 sockets pipeline random tokens of links', rates: withApp, p99Ms: second },
  { name: 'random-sign-ins', title: '100 sockets pipeline sign-ins of nobody', rates: withApp, p99Ms: second },
  {
    name: 'strangers',
    title: 'strangers flood website chats, 1,000 a second: one address, two networks, 130,000 networks; forged tokens',
    ...besideStrangers,
  },
  {
    name: 'strangers-let-in',
    title: 'the same flood of chats whose owner lets 10,000 new people in a minute',
    ...besideStrangers,
  },
  {
    name: 'held-streams',
    title: '5,000 connections want streams of 2,000 visitors, and read nothing',
    ...besideStreams,
  },
  {
    name: 'strangers-at-once',
    title: 'the flood and the streams at once: with clients and database more than two cores can do',
    ...besideStreams,
  },
  { name: 'readyz', title: '10 sockets pipeline 2,000 GET /readyz each', rates: usual, p99Ms: second },
  { name: 'healthz', title: '300 sockets request /healthz', rates: usual, p99Ms: second },
  { name: 'pipelined', title: '10,000 pipelined requests with a key', rates: usual, p99Ms: second },
  { name: 'locked-rows', title: '60 requests wait for locked rows', rates: usual, p99Ms: second },
  {
    name: 'slow-database',
    title: 'the database is 150 ms away and 1 % of chunks reset',
    rates: { incoming: 50 },
    p99Ms: { requests: 2_000 },
    hasSlowDatabase: true,
    mayFail: true,
  },
  { name: 'held-contact', title: '50 messages to a locked contact', rates: usual, p99Ms: second },
  {
    name: 'knowledge-import',
    title: 'a large knowledge file is imported again and again',
    rates: usual,
    p99Ms: second,
    mostMiB: 600, // the built-in model takes 200 MiB of it once it is loaded
  },
  {
    name: 'wide-file',
    title: 'files of 240 rows with 60,000 commas each are imported again and again',
    rates: usual,
    p99Ms: second,
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
    mostMiB: 350, // the clients of language models take 60 MiB of it once one is called
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
  { name: 'growth', title: 'the database has a million messages already', rates: usual, p99Ms: second },
  { name: 'retention', title: 'a million old attempts are pruned meanwhile', rates: usual, p99Ms: second },
]
