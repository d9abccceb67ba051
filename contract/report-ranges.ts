/** How many days are shown, today included. */
export const reportRanges = ['7', '30', '90'] as const
export type ReportRange = (typeof reportRanges)[number]
