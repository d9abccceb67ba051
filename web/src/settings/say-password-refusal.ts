import { ApiError } from '../data/api.ts'
import { sayError } from '../ui/error-state.tsx'
import { errorWords } from '../ui/error-words.ts'

/** Why a password that was asked for again was not taken: it is wrong, or it was tried too often. */
export function sayPasswordRefusal(error: Error, wrong: string): string {
  if (!(error instanceof ApiError)) return sayError(error).title
  if (error.code === 'FORBIDDEN') return wrong
  return error.retryAfterSeconds === null ? sayError(error).title : errorWords.wait(error.retryAfterSeconds)
}
