import type { ChatHours } from '@patchbay/contract/chat/settings.ts'

export type Window = ChatHours['windows'][number]

/** What midnight at the end of a day is in a field for a time. */
export const clock = (time: string) => (time === '24:00' ? '00:00' : time)

/** The end of a window from a field for a time: midnight is that of the end of its day. */
export const endOf = (typed: string) => (typed === '00:00' ? '24:00' : typed)

const usual = [{ from: '09:00', to: '17:00' }]

/** The windows of a week with those of one more day: as on the day before it that has some, else as is usual. */
export function openDay(windows: readonly Window[], day: number): Window[] {
  const before = Math.max(...windows.filter((one) => one.day < day).map((one) => one.day))
  const like = windows.filter((one) => one.day === before)
  return inOrder([...windows, ...(like.length > 0 ? like : usual).map(({ from, to }) => ({ day, from, to }))])
}

/** One window more on a day that has some: after the last of them. */
export function addWindow(windows: readonly Window[], day: number): Window[] {
  return [
    ...windows.filter((one) => one.day <= day),
    { day, from: '', to: '' },
    ...windows.filter((one) => one.day > day),
  ]
}

/** Monday first; within a day as they were typed. */
function inOrder(windows: readonly Window[]): Window[] {
  return windows.toSorted((one, other) => one.day - other.day)
}
