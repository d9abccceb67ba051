import type { CommitMeter, Instruments } from '../../platform/metrics/instruments.ts'
import type { RouteMeter } from '../../platform/metrics/request-meter.ts'
import { byLabel, histogram, type Metric, type Sample } from './metric.ts'

/** What this process has done since it started: requests, intake, commits, deliveries, answers, files, reports. */
export function trafficMetrics(instruments: Instruments): Metric[] {
  return [...requestMetrics(instruments), ...commitMetrics(instruments), ...workMetrics(instruments)]
}

function requestMetrics({ requests, incoming, waitingForConnection }: Instruments): Metric[] {
  const duration = 'patchbay_http_request_duration_seconds'
  return [
    {
      name: 'patchbay_http_requests_total',
      type: 'counter',
      help: 'Answered requests by route as declared, method and status.',
      read: () => [...requests.values()].flatMap(statusesOf),
    },
    {
      name: duration,
      type: 'histogram',
      help: 'Seconds from the head of a request to the end of its answer, by route and method.',
      read: () =>
        [...requests.values()].flatMap(({ route, method, seconds }) => histogram(duration, { route, method }, seconds)),
    },
    {
      name: 'patchbay_incoming_messages_total',
      type: 'counter',
      help: 'Incoming messages: kept, copies of kept ones, refused (4xx), failed (5xx).',
      read: () => [...byLabel('outcome', incoming), ...refusedMessages([...requests.values()])],
    },
    {
      name: 'patchbay_requests_waiting_for_database',
      type: 'gauge',
      help: 'Requests that wait for one of the database connections that requests share.',
      read: () => [{ value: waitingForConnection.waiting }],
    },
  ]
}

function statusesOf({ route, method, statuses }: RouteMeter): Sample[] {
  return [...statuses].map(([status, value]) => ({ labels: { route, method, status }, value }))
}

/** Counts them from the requests, so that an accepted message costs nothing for it. */
function refusedMessages(routes: RouteMeter[]): Sample[] {
  const statuses = routes
    .filter(({ route, method }) => method === 'POST' && /^\/v1\/incoming[_-]custom[_-]channel[_-]message$/.test(route))
    .flatMap(({ statuses }) => [...statuses])
  const answered = (from: number, to: number) =>
    statuses.filter(([status]) => status >= from && status <= to).reduce((sum, [, count]) => sum + count, 0)
  return [
    { labels: { outcome: 'refused' }, value: answered(400, 499) },
    { labels: { outcome: 'failed' }, value: answered(500, 599) },
  ]
}

function commitMetrics({ commits }: Instruments): Metric[] {
  const [rows, seconds] = ['patchbay_group_commit_rows', 'patchbay_group_commit_duration_seconds']
  const each = (samples: (commit: string, meter: CommitMeter) => Sample[]) => () =>
    Object.entries(commits).flatMap(([commit, meter]) => samples(commit, meter))
  return [
    {
      name: rows,
      type: 'histogram',
      help: 'Rows that one group commit wrote together.',
      read: each((commit, meter) => histogram(rows, { commit }, meter.rows)),
    },
    {
      name: seconds,
      type: 'histogram',
      help: 'Seconds from sending a group commit to its outcome.',
      read: each((commit, meter) => histogram(seconds, { commit }, meter.seconds)),
    },
    {
      name: 'patchbay_group_commit_waiting_rows',
      type: 'gauge',
      help: 'Rows that wait for the next group commit.',
      read: each((commit, { waiting }) => [{ labels: { commit }, value: waiting }]),
    },
  ]
}

function workMetrics(instruments: Instruments): Metric[] {
  const { attempts, attemptSeconds, turns, engineFailures, models, fetches, reports, logLines } = instruments
  const duration = 'patchbay_delivery_attempt_duration_seconds'
  return [
    {
      name: 'patchbay_delivery_attempts_total',
      type: 'counter',
      help: 'Attempts to deliver an event, by outcome.',
      read: () => byLabel('outcome', attempts),
    },
    {
      name: duration,
      type: 'histogram',
      help: 'Seconds until a receiver answered or failed to.',
      read: () => histogram(duration, {}, attemptSeconds),
    },
    {
      name: 'patchbay_bot_turns_total',
      type: 'counter',
      help: 'Ended turns of the bot, by decision.',
      read: () => byLabel('decision', turns),
    },
    {
      name: 'patchbay_bot_engine_failures_total',
      type: 'counter',
      help: 'Turns whose engine gave no answer: an error, no free capacity, an unexpected crash.',
      read: () => byLabel('reason', engineFailures),
    },
    {
      name: 'patchbay_model_providers',
      type: 'gauge',
      help: 'Providers of language models that this process has called, by state of their circuit breaker.',
      read: () => {
        const { closed, halfOpen, open } = models.count()
        const states = Object.entries({ closed, half_open: halfOpen, open })
        return states.map(([state, value]) => ({ labels: { state }, value }))
      },
    },
    {
      name: 'patchbay_media_fetches_total',
      type: 'counter',
      help: 'Attempts to fetch an attached file by its address, by outcome.',
      read: () => byLabel('outcome', fetches),
    },
    {
      name: 'patchbay_reports_late_seconds',
      type: 'gauge',
      help: 'For how long this worker has known of something that is not in the reports yet.',
      isPerProcess: true,
      read: () => [{ value: reports.lateSeconds() }],
    },
    {
      name: 'patchbay_log_lines_total',
      type: 'counter',
      help: 'Lines of the log with the level warning or error, as far as LOG_LEVEL includes them.',
      read: () => byLabel('level', logLines),
    },
  ]
}
