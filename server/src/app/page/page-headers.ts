/** Allows nothing but our own files, and no way to turn text into HTML or script, whatever a message says. */
const contentPolicy = [
  "default-src 'none'",
  ...['script-src', 'style-src', 'img-src', 'font-src', 'connect-src', 'worker-src', 'manifest-src'].map(
    (directive) => `${directive} 'self'`,
  ),
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/** The headers of every answer to a browser are set before. */
export const pageHeaders = {
  'cache-control': 'no-cache', // it names the current files
  'content-security-policy': contentPolicy,
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
}
