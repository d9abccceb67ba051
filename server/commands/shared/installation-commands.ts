import { declare } from './command.ts'

/** Commands about the server and its database as a whole; the others are about an account. */
export const installationCommands = {
  start: declare({
    summary: 'start the server and run until SIGTERM or Ctrl-C; the same as `npm start`',
  }),
  status: declare({
    summary:
      'show pending replies and events, queues, and failing receivers of the whole installation; with --watch again every 2 seconds, with what happened since',
    flags: ['watch'],
  }),
  doctor: declare({
    summary: 'check everything the server needs, and print what to do about each problem',
  }),
  backup: declare({
    summary:
      'back up the embedded database while it serves, into a new folder in --to; verified, and whole or not there at all; --keep N removes older ones',
    required: ['to'],
    optional: ['keep'],
    flags: ['with-secret-key'],
  }),
  'backup verify': declare({
    summary:
      'read a backup, or all in a folder, as a restore would, and compare every file; exits with 1 if one is damaged',
    required: ['from'],
  }),
  restore: declare({
    summary:
      'restore a backup into an empty DATA_DIR, with all that the archive has since, or up to --until; --paused: a copy that sends nothing',
    required: ['from'],
    optional: ['until', 'archive'],
    flags: ['paused'],
  }),
  resume: declare({
    summary: 'end the pause of a copy that was restored with --paused; its work begins with the next start',
  }),
}
