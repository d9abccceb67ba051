/** The words beside calls of a server that made its certificate itself. */
export const certificateWords = {
  says: 'This server made its certificate itself, so a client has to be told to trust it:',
  download: 'Download the certificate',
} as const
