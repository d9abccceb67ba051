import type { ServerResponse } from 'node:http'
import type { Fault } from './telegram-faults.ts'

/** As Twilio says what is wrong. */
export function refuse(response: ServerResponse, status: number, code: number, message = 'Refused'): void {
  send(response, status, { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status })
}

export function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** For `plan`: the next request is refused so. */
export const refusing =
  (status: number, code: number): Fault =>
  (response) =>
    refuse(response, status, code)
