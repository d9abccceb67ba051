import { contactTextNames } from '@patchbay/contract/contact-texts.ts'
import type { ImportField } from '@patchbay/contract/import-fields.ts'

const count = new Intl.NumberFormat()
const rows = (n: number) => (n === 1 ? '1 row' : `${count.format(n)} rows`)

export const importWords = {
  import: 'Import',
  export: 'Export',
  running: (percent: number) => `Importing, ${percent} % done`,
  title: 'Import contacts',
  says: 'A CSV file from a spreadsheet or another system: one person in each row, with a line of headings above.',
  limits:
    'Up to 32 MiB and 100,000 rows, with commas, semicolons or tabs. Nothing is imported before you have seen it.',
  choose: 'Choose a file',
  chooseAnother: 'Choose another',
  lastOnes: 'Imported lately',
  openShort: 'Open',
  open: (file: string) => `Open ${file}`,
  need: (n: number) => (n === 1 ? '1 row needs a look' : `${count.format(n)} rows need a look`),
  refusedShort: 'could not be read',
  states: {
    uploading: 'not sent to the end',
    reading: 'being read',
    checking: 'not started',
    ready: 'not started',
    running: 'running',
    finished: 'all in',
    stopped: 'stopped',
    refused: 'could not be read',
  },
  delimiters: { comma: 'comma', semicolon: 'semicolon', tab: 'tab' },

  tooLarge: 'This file is larger than 32 MiB. Divide it, and import one part after the other.',
  notText: 'This is no text file. In the spreadsheet, save it as CSV.',
  emptyFile: 'This file is empty.',
  sending: 'Sending the file',
  sent: (percent: number) => `${percent} %`,
  leftUpload: 'The file was not sent to the end.',
  reading: 'Reading the file…',
  refused: 'This file cannot be read.',
  facts: (n: number, delimiter: string, encoding: string) => `${rows(n)} · ${delimiter} · ${encoding}`,

  columns: 'Columns',
  inFile: 'In your file',
  becomes: 'Becomes',
  firstRow: 'First row',
  columnBecomes: (header: string) => `${header} becomes`,
  unnamed: (n: number) => `Column ${n}`,
  fields: {
    ...contactTextNames,
    name: 'Whole name',
    phone: 'Phone',
    email: 'E-mail',
    externalId: 'External ID',
    contactId: 'Contact ID',
    none: 'Leave out',
  } satisfies Record<ImportField, string> as Record<ImportField, string>,
  checking: (done: number, all: number) => `Looking at the rows… ${count.format(done)} of ${count.format(all)}`,
  ready: (ready: number, all: number) => `${count.format(ready)} of ${rows(all)} ${all === 1 ? 'is' : 'are'} ready.`,
  known: (n: number, overwrites: boolean) =>
    n === 0
      ? 'None of them seems to be in your contacts.'
      : `About ${count.format(n)} ${n === 1 ? 'is somebody' : 'are people'} you know: ${overwrites ? 'what the file says replaces what you have.' : 'their blanks are filled, nothing is overwritten.'}`,
  mendable: (n: number) => (n === 0 ? '' : `${rows(n)} can be mended while it runs.`),
  list: 'Put them on a list',
  noList: 'On no list',
  overwrite: 'Overwrite what is there',
  overwriteSays:
    'Names, numbers and addresses of people you know become those of the file. A blank cell changes nothing.',
  cancel: 'Cancel',
  start: (n: number) => (n === 1 ? 'Import 1 contact' : `Import ${count.format(n)} contacts`),
  startAtOnce: 'Import without waiting',
  starting: 'Starting…',

  importing: 'Importing',
  finished: 'Imported',
  stopped: 'Stopped',
  progress: (done: number, all: number) => `${count.format(done)} / ${count.format(all)}`,
  added: (n: number) => `${count.format(n)} new`,
  matched: (n: number, overwrites: boolean) =>
    `${count.format(n)} matched${overwrites ? ', overwritten' : ', blanks filled'}`,
  failed: (n: number) => `${count.format(n)} not imported`,
  left: (seconds: number) =>
    seconds < 90 ? `about ${Math.max(1, Math.round(seconds))} s left` : `about ${Math.round(seconds / 60)} min left`,
  mapped: (header: string, field: string) => `${header} → ${field}`,
  leftOut: (header: string) => `${header} left out`,
  goesOn: 'You can close this; the import goes on.',
  stop: 'Stop here',
  stopping: 'Stopping…',
  stays: 'What is in stays in. The same file can be imported again: nobody is doubled.',
  done: 'Done',

  csv: 'Get them as CSV',
  kept: 'Kept for 30 days.',
  rowOf: (line: number) => `Line ${count.format(line)}`,
  valueOf: (line: number, field: string) => `${field} of line ${count.format(line)}`,
  empty: 'empty',
  take: 'Take it',
  takeLine: (line: number) => `Take it: line ${count.format(line)}`,
  taking: 'Taking…',
  more: (n: number) => `${count.format(n)} more`,
} as const

export const manyWords = {
  select: (name: string) => `Select ${name}`,
  selectAll: 'Select all that are shown',
  selected: (n: number) => `${count.format(n)} selected`,
  allFound: (total: string) => `Select all ${total}`,
  everybody: (total: string) => `All ${total} selected`,
  clear: 'Clear the selection',
  addToList: 'Add to list',
  addTo: (list: string) => `Add to ${list}`,
  chooseList: 'Add them to a list',
  removeFrom: (list: string) => `Remove from ${list}`,
  adding: 'Adding…',
  removing: 'Removing…',
  added: (added: number, already: number, list: string) =>
    `${added === 1 ? '1 contact is' : `${count.format(added)} contacts are`} on ${list} now${already > 0 ? `; ${count.format(already)} ${already === 1 ? 'was' : 'were'} before` : ''}.`,
  removed: (n: number, list: string) => `${n === 1 ? '1 contact is' : `${count.format(n)} contacts are`} off ${list}.`,
  column: 'Selected',
  addMany: 'Add many',
  pick: 'Choose from contacts',
  fromFile: 'Import a file',
  addingTo: (list: string) => `Choose who goes on ${list}.`,
  backTo: 'Back to the list',
  key: 'Select the contact',
} as const
