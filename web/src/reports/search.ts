import type { ReportRange } from '@patchbay/contract/report-ranges.ts'

export type ReportSearch = { range?: ReportRange | undefined; channel?: string | undefined }

/** Reads the address; the router gives numbers as numbers. A range that is not there is left out. */
export function readReportSearch({ range, channel }: { range?: unknown; channel?: unknown }): ReportSearch {
  return {
    range: (['7', '30', '90'] as const).find((one) => one === String(range)),
    channel: channel === undefined || channel === '' ? undefined : String(channel),
  }
}
