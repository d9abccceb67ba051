/** A promise of docs/security.md, in its words, and the tests that prove it: `file: how the name begins`, with … for what differs. */
type Promises = Record<string, string[]>

const whoIsNotTrusted: Promises = {
  'learn whether a key, an e-mail address or an id exists': [
    'business/accounts/keys: a new key works at once, and the old one stops within a second',
    'business/sessions/sessions: a wrong password and an unknown e-mail address get the same answer',
    'business/sessions/sessions: an unknown e-mail address costs as much work as a wrong password',
    'business/sessions/guard-matrix: every route of the app refuses whoever is not signed in',
  ],
  'stop the service for others (limits below)': [
    'platform/https-server/connection-floods: a thousand clients with slow headers',
    'business/sessions/strangers: random session cookies and links wait on one connection each',
  ],
  'be served over plain HTTP': ['platform/https-server/https-edge: plain HTTP is refused on every path'],
  'run anything in the app': [
    'web/hostile/text: whatever somebody writes, their thread, contact, list and delivery show it as text',
    'web/hostile/files: files from strangers run nothing',
  ],
  'make us call an address of theirs unchecked': ['journey/media/fetch: no connection is made to a private address'],
  'make a language model do more than answer with text': [
    'answers/engines/injection: a model that … changes nothing but the text of the reply',
    'journey/bot/model: 40 attacks on a model that …',
  ],
  'see or change anything of another account': [
    "business/accounts/tenant-matrix: another account's name for anything, in any parameter of any route",
    "business/sessions/tenant-matrix: another account's name for anything, in any parameter of any route",
    'business/sessions/tenant-matrix: every route works with the own names, shows nothing of another account',
  ],
  'make us call private addresses': [
    'journey/delivery/webhook-app: an address that is saved in the app gets the replies; a private one is refused',
    'answers/model-providers/connections: a private address is refused',
    'platform/outbound/check-target: no address of this kind is called',
  ],
  'take more than their share': [
    'platform/database/fair-share: one owner gets less than half of the slots',
    'business/accounts/key-lookup: sixty requests of one account that wait for a lock use four connections',
    'people/imports/turns: imports take turns',
  ],
  'read and answer, teach the bot, keep contacts and lists (below)': [
    'business/sessions/roles-matrix: each role may call exactly the routes that the table of guards gives it',
  ],
  'import, broadcast or delete a list, unless an owner lets them manage': [
    'business/team/managers: a new member may not import, broadcast or delete a list until an owner lets them',
  ],
  'keys, webhook, alert address, team, erasure, export, audit: owners only': [
    'business/sessions/roles-matrix: each role may call exactly the routes that the table of guards gives it',
    'business/sessions/guard-matrix: every route of the app refuses whoever is not signed in, and a member where only the owner may',
    'business/team/managers: contacts are exported by owners only',
  ],
  "its sub-accounts' credits, prices, limits up to its own": [
    'app/agency/subaccounts: what an agency sets is read-only to the sub-account',
    'app/agency/password-link: an agency gives a sub-account at most the rate limit',
  ],
  'visit their app, audited on both sides and with a banner': [
    "business/sessions/visits: an agency opens its sub-account's app and leaves it, and both find it in their audit",
    'web/settings/team: a member sees neither team nor audit; an agency that visits is told where it is',
  ],
  "make a link for a new password of a sub-account's holder, in the open (below)": [
    'app/agency/subaccounts: an agency makes a link with which the owner of a sub-account sets a new password',
  ],
  'see their key, secrets, team or audit; erase or export their contacts': [
    'business/sessions/roles-matrix: each role may call exactly the routes that the table of guards gives it',
    'business/team/managers: contacts are exported by owners only, and not by an agency that visits',
  ],
  "see a contact in a sub-account's history": [
    'app/agency/subaccounts: the history that an agency sees names no contact',
  ],
  'make a reply be lost': [
    'journey/delivery/retry-schedule: whatever a receiver answers, a reply is retried on schedule',
    'journey/delivery/outage: after five days without success the address is paused; nothing is lost',
  ],
  'slow the deliveries to others': [
    'journey/delivery/neighbours: every reply to a healthy receiver is sent while attempts to forty others hang',
  ],
  'be read without end, be kept as more than a status and 1 KiB of text': [
    'platform/outbound/faults: of a huge answer (…) only the allowed part is read',
    'journey/delivery/delivery: a first failure shows at once with its details',
  ],
  "bring anything in without the channel's secret": [
    'journey/channels/hooks: a hook without the right secret is refused before its body is read, and an unknown one is not there',
    'journey/channels/kinds/telegram: a hook is authentic with our secret alone',
  ],
  'be sent a reply more than twice unless somebody wants that': [
    'journey/channels/sending: what is in doubt twice is sent no third time',
    'journey/channels/doubt: a resend that certainly did not arrive was none: it leaves when it can, marked once, and never a third time',
  ],
  'slow what goes elsewhere': [
    'journey/channels/silence: while a provider takes ten seconds to answer, what goes elsewhere leaves as quickly as ever',
  ],
  'lead our requests and the credentials in them to another host': [
    'journey/channels/call: a redirect is an answer, and nobody follows it with the credentials',
    'journey/channels/call: an origin that no kind has is a fault of ours, and is called by nobody',
    'journey/channels/kinds/telegram: a file is fetched from where Telegram says, and from nowhere else',
  ],
  'read another chat': [
    'app/website-chat/messages: WC15 who only looks leaves nothing behind',
    'app/website-chat/messages: WC02 the same id of another browser is another message',
    'app/website-chat/members: WC22 who signs in has a chat of their own',
  ],
  'be taken for somebody whom the shop has not signed': [
    'app/website-chat/bearers: WC20 what is not signed with HS256 by the secret',
    'app/website-chat/members: WC20 a member is one contact on all devices',
  ],
  'make more contacts, messages or files than the shop allows in a day': [
    'app/website-chat/floods: WC17 a channel lets in as many new people a day',
  ],
  'keep the team from being told what happens': ['app/website-chat/streams: WC18 a visitor has three windows'],
  'send links that are in neither the entries it was given nor your instructions (decision 10)': [
    'answers/engines/check-output: any other address is removed completely',
    'answers/engines/check-output: no combination of addresses and signs lets an unknown address through',
  ],
  'in a strict campaign, which is the default, phone numbers and bank accounts that nobody named before (decision 26)':
    [
      'answers/engines/output-numbers: a strict campaign removes any other number that could be called or paid to',
      'answers/engines/output-numbers: an unknown IBAN never gets through',
    ],
  'read webhook secrets and provider keys (without SECRET_KEY)': [
    'platform/secrets/seal: a sealed secret opens with its key and for its row alone',
    'journey/delivery/sealed-secrets: after deliveries and failures of every kind, no secret is in clear',
    'answers/model-providers/connections: a key is sealed',
  ],
  'use keys, sessions or passwords found in it': [
    'business/accounts/keys: the database stores the hash of a key and nowhere the key',
    'business/sessions/sessions: signing in sets a host-only, secure, HTTP-only cookie, and stores only a hash',
    'business/sessions/sessions: a password is stored as argon2id',
  ],
  'An agency can become the holder of its sub-account by a password link': [
    'app/agency/subaccounts: an agency makes a link with which the owner of a sub-account sets a new password',
  ],
  'The audit of both accounts names who made the link when it is made, when the password is changed by it and at the sign-in that follows; the holder is signed out everywhere':
    [
      'app/agency/password-link: a password link of an agency ends the sessions of the holder, and both audits name its maker',
    ],
  'every owner of the sub-account is told when they sign in during the next 30 days': [
    'app/agency/password-link: every owner of the sub-account is told of the link in each session',
  ],
  'and can withdraw a link that nobody has used (Settings › Team)': [
    'business/team/links: open password links are shown to owners, with who made them, and can be withdrawn',
  ],
  'An agency gives a sub-account at most the rate limit that it has itself, and none only where it has none.': [
    'app/agency/password-link: an agency gives a sub-account at most the rate limit that it has itself, and none only',
  ],
  'Limits set before this was so stay until they are changed.': [
    'app/agency/password-link: an agency gives a sub-account at most the rate limit that it has itself, and none only',
  ],
}

const encrypted: Promises = {
  'TLS 1.2 or newer': ['platform/https-server/https-edge: TLS older than 1.2 is refused'],
  'plain HTTP is answered 400 and never processed': [
    'platform/https-server/https-edge: plain HTTP is refused on every path',
  ],
  'except from the proxies in TRUST_PROXY that say it was HTTPS': [
    'platform/https-server/https-edge: X-Forwarded-Proto counts only from a trusted proxy',
  ],
  'and on loopback with ALLOW_PLAIN_HTTP': [
    'platform/https-server/https-edge: ALLOW_PLAIN_HTTP serves plain HTTP and HTTPS',
    'platform/config/config: plain HTTP can be allowed on loopback only',
  ],
  'AES-256-GCM under SECRET_KEY, bound to their row': [
    'platform/secrets/seal: a sealed secret opens with its key and for its row alone',
  ],
  "copied into another account's row they cannot be decrypted": [
    "journey/delivery/sealed-secrets: a sealed secret that is copied into another account's row",
  ],
  '256 random bits; only their SHA-256 is stored, and each is shown once': [
    'business/accounts/keys: a key has 256 random bits',
    'business/accounts/keys: the database stores the hash of a key and nowhere the key',
    'business/sessions/sessions: signing in sets a host-only, secure, HTTP-only cookie, and stores only a hash',
    'web/settings/account: a new key is shown once and whole',
    'business/team/team: a link has 256 random bits, of which only the SHA-256 is stored, and is shown once',
  ],
  'argon2id, 19 MiB and 2 passes': [
    'business/sessions/sessions: a password is stored as argon2id with 19 MiB and two passes',
  ],
  'HMAC-SHA-256 under SECRET_KEY': ['journey/bot/opt-out: a contact who opted out and was erased is still opted out'],
  'as the URL says': ['platform/database/address: the password, the database and the options are those of every host'],
}

export const promises: Promises = { ...whoIsNotTrusted, ...encrypted }
