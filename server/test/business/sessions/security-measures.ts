/** As in security-promises.ts: what is done, what the operator must do, and what is not protected. */
export const measures: Record<string, string[]> = {
  'Accounts are apart in every query': [
    "business/accounts/tenant-matrix: another account's name for anything, in any parameter of any route",
    'architecture/raw-sql: raw SQL names the account in every table with rows of many',
  ],
  'and a second check refuses a query that forgets it (decision 34).': [
    'platform/database/account-check-refusals: a query that leaves the account open in any table is refused',
    'business/sessions/forgotten-accounts: where the account is forgotten in every query that a route builds',
  ],
  "Another account's id gets the answer of an unknown one.": [
    "business/sessions/tenant-matrix: another account's name for anything, in any parameter of any route, gets the answer of an unknown one",
  ],
  'go to public addresses only': ['platform/outbound/check-target: no address of this kind is called'],
  'Every address that a name resolves to is checked': [
    'platform/outbound/check-target: a name is refused when any of its addresses is not public',
  ],
  'the one that was checked is the one that is connected to': [
    'platform/outbound/dns: the addresses that were checked are the ones that are dialled',
    'platform/outbound/dns: a connection that ends at another address than was checked is not used',
  ],
  'and redirects are not followed.': [
    'platform/outbound/faults: no redirect is followed',
    'journey/bot/model-faults: a redirect is not followed',
  ],
  'OUTBOUND_ALLOWED_NETWORKS allows more, and loopback is allowed without it while the server itself listens on loopback only.':
    [
      'platform/outbound/check-target: an allowed network and port pass',
      'platform/config/config: outgoing requests may reach loopback only while the server is reachable from loopback only',
    ],
  'credentials are in no row, line of the log, answer, output, metric or file of the database and its backups in the clear':
    [
      'journey/channels/secrets: no secret of a channel is in an answer, a log, a row, a file of the database, a backup, a metric or an output',
    ],
  "with the token that is part of each of Telegram's addresses, also where an error repeats that address.": [
    'journey/channels/secrets: no secret of a channel is in an answer, a log, a row, a file of the database, a backup, a metric or an output',
  ],
  "A request goes to its provider's own hosts": [
    'journey/channels/call: an origin that no kind has is a fault of ours, and is called by nobody',
  ],
  'or to those in CHANNEL_ORIGINS, which no account can set and the log names at the start.': [
    'journey/channels/call: a call goes to the origin that the operator set',
    'journey/channels/call: CHANNEL_ORIGINS is a list of kinds and addresses, and anything else stops the start',
    'journey/channels/secrets: no secret of a channel is in an answer, a log',
  ],
  'Who calls a hook shows a secret, which is compared before a byte of the body is read': [
    'journey/channels/hook-secrets: of one channel 64 calls may be under way',
  ],
  'one that was replaced counts for a day more and is wiped.': [
    'journey/channels/hook-secrets: a secret that was replaced counts for a day more, then it does not, and is wiped',
  ],
  'Ids that no channel has are refused before their bodies and delay nobody': [
    'journey/channels/hook-faults: five hundred hooks a second for channels that nobody has',
  ],
  'of one channel 64 calls may be under way, and bodies that do not come end after ten seconds.': [
    'journey/channels/hook-secrets: of one channel 64 calls may be under way',
  ],
  'Whether somebody has connected a bot is told only to who has its token.': [
    'journey/channels/receiving: a bot is of one account: another one is refused once it has shown that it has the token',
  ],
  'What another tool has set is left alone until somebody takes it over.': [
    'journey/channels/receiving: a bot that reports to another tool is left alone until somebody takes it over',
  ],
  'What a button sends counts only if it was offered to that person.': [
    'journey/channels/bot: what was never offered to this person is not answered by a tap',
  ],
  'what is not asked from a page that the owner has named is refused before its body, without a word that the page could read':
    [
      'app/website-chat/messages: WC13 WC14 what is not asked from a page of the chat is refused before its body',
      'app/website-chat/origins: WC14 a page is one that its owner has named',
    ],
  "Of a visitor's key the hash is kept.": ['app/website-chat/bearers: WC02 a key is somebody else on another channel'],
  'Who somebody is counts only as the shop has signed it, all of it, with HS256.': [
    'app/website-chat/bearers: WC20 a member is who the shop has signed, with all that is said of them',
    'app/website-chat/bearers: WC20 what is not signed with HS256 by the secret',
  ],
  'New people, messages, files and requests are limited by visitor, address, network and channel': [
    'app/website-chat/limits: WC16 one address makes 20 new contacts in 10 minutes',
    'app/website-chat/limits: WC17 neighbours share what their network may',
    'app/website-chat/limits: a visitor writes 20 messages a minute',
    'app/website-chat/floods: WC17 a channel lets in as many new people a day',
  ],
  'what is refused is counted, not logged one by one, and no address of a visitor is in the log': [
    'app/website-chat/floods: WC16 one address makes 20 contacts',
  ],
  'Files are taken by what their bytes are': [
    'app/website-chat/files: WC26 what is no picture is a download, and what could run in a page',
  ],
  'and given out as downloads but for four types of pictures, by an address that is good for an hour and for one file.':
    [
      'app/website-chat/files: WC26 a picture of a visitor goes with one message',
      'app/website-chat/files: WC26 an address of a file is good for an hour',
    ],
  'gets a strict content security policy with Trusted Types': [
    'app/page/serve-app: every address of the app gets the page',
    'web/sign-in: the page has a content security policy without exceptions',
  ],
  'nothing from outside is rendered as HTML': [
    'web/hostile/screens: …: what others wrote is text, runs nothing, calls nobody',
  ],
  'files of contacts are shown only as pictures, sound and video that were checked, and everything else is a download.':
    ['journey/media/app-media: pictures are shown in the page, everything else is a download'],
  'Changes need our own origin (Sec-Fetch-Site, Origin)': [
    'business/sessions/sessions: a change that another site asks for is refused and changes nothing',
    'web/cross-site: a page of another site changes nothing',
  ],
  'and the session cookie is __Host-, HttpOnly, Secure and SameSite=Lax.': [
    'business/sessions/sessions: signing in sets a host-only, secure, HTTP-only cookie',
  ],
  'for invitations and passwords work once and for seven days.': [
    'business/team/team: whoever has the link joins once',
    'business/team/team: an invitation ends after seven days',
    'business/team/team: a link for a password is not an invitation',
  ],
  "Whatever ends a user's sessions ends the links for their password and those that they made, and so do a change of their role and their removal":
    [
      'business/team/links: links that somebody made, and that for their password, end when …',
      'business/team/links: `account password` ends the links of the holder',
      'business/team/links: a restored copy has neither sessions nor links of before',
    ],
  'owners see open links and can withdraw them.': ['business/team/links: open password links are shown to owners'],
  'Who joins by an invitation is told when an e-mail address has an account: the third such answer ends the invitation':
    ['business/team/links: the third e-mail address that has an account ends an invitation'],
  "an account's twentieth in a day all its links.": [
    "business/team/links: an account's twentieth taken address in a day ends all its links",
  ],
  'is slowed down by address, by account, and by both.': [
    'business/sessions/sessions: guessing the password of one account is slowed down',
    'business/sessions/guessing: guessing at many accounts from one address is slowed down',
    'business/sessions/guessing: of thirty guesses at the same time five are checked',
  ],
  'Nobody is kept out by others who guess: known addresses have places of their own, and new ones wait in a line in which a network has few places (decision 56).':
    [
      'business/sessions/guessing: while … guess at one account as often as they can',
      'business/sessions/guessing: while forty addresses guess at unknown e-mail addresses, nobody is refused',
    ],
  'Wrong API keys get the same 401, whether they existed or not': [
    'business/accounts/keys: a key that is missing, malformed, unknown, repeated or contradicted is 401',
    'business/accounts/keys: a new key works at once, and the old one stops within a second',
  ],
  'keys are found by their SHA-256': [
    'business/accounts/keys: the database stores the hash of a key and nowhere the key',
  ],
  'connections, bytes being read, requests in flight, queues and database connections are bounded': [
    'platform/https-server/address-limits: the connections of one address are limited',
    'platform/request-body/large-bodies: bodies that are not large are admitted up to 16 MiB',
    'platform/https-server/pipelining: of the requests that one connection pipelines, a few are in flight',
    'business/accounts/key-lookup: of a flood of wrong keys a bounded number waits',
  ],
  'and shared fairly between accounts': [
    'platform/database/fair-share: waiting work runs round-robin by owner',
    'journey/delivery/outage: a receiver that hangs with a thousand replies waiting does not delay those of another account',
  ],
  'has no keys, bodies, query strings or contacts': [
    'platform/http/logging: no log line contains a key, a query string, a body, a phone number or an e-mail address',
    'platform/http/logging: of a database error its code and message are logged, not the row',
  ],
  "PostgreSQL's log of the embedded database has no parameters.": [
    'platform/embedded-postgres/log: the log of the embedded database says what failed, without parameters',
  ],
  'keeps who did what for a year (KEEP_AUDIT_DAYS)': [
    'business/audit/audit: lines are kept for a year',
    'platform/config/keep-days: each kind of thing can be kept for a number of days of its own',
  ],
  'and cannot be changed through the app': ['business/audit/audit: no route changes or removes what is in the audit'],
  'the ledger cannot be changed at all: the database refuses it.': [
    'business/credits/ledger: an update, a delete and a truncate of the ledger are refused',
  ],
  'whoever is in these ranges can claim to be any client.': [
    'platform/https-server/client-address: behind trusted proxies the client is the last address that is not a proxy',
  ],
  '(off without METRICS_PORT; METRICS_HOST is loopback by default)': [
    'platform/config/config: metrics are served on loopback unless METRICS_HOST says otherwise',
  ],
  'Take the first credentials out of first-start.txt and delete it': [
    'commands/first-start: without a terminal, the credentials are written to a file that only its owner can read',
  ],
  'key generate, webhook rotate (24 hours with both secrets), account password, "sign out everywhere", the token of a bot (in its channel, after @BotFather gave you another).':
    [
      'journey/channels/sending: when the token dies, what waits uses up no attempt, and leaves once and in order with a new one',
      'commands/lifecycle: a key generated by a command invalidates the old one',
      'commands/webhook-secrets: after a rotation both secrets sign for a day',
      'business/team/links: `account password` ends the links of the holder',
      'business/sessions/sessions: after signing out, signing out everywhere or a new password, a cookie is refused',
    ],
  'SECRET_KEY itself cannot be rotated yet': [
    'commands/lifecycle: a server refuses a shared database without SECRET_KEY, with another one',
  ],
  'ledger check finds what no longer adds up': [
    'business/credits/ledger: every manual corruption of the ledger is reported',
    'commands/credits-cli: ledger check finds a balance that was changed by hand',
  ],
  "While the database does not answer, each process allows a key's rate limit by itself": [
    'business/accounts/shared-rate-limit: while the database does not answer, a machine allows the limit by itself',
  ],
  'and a crash of the database begins a new window.': [
    'business/accounts/shared-rate-limit: a crash of the database, which empties the windows, begins new ones',
  ],
  "Two programs with one bot's token both read what people write to it, now the one and now the other; the channel says so and asks for somebody.":
    ['journey/channels/receiving: another program that fetches is shown, keeps nobody from receiving for good'],
  'Alerts never have a word of a message, and names of contacts only where an owner switched that on.': [
    'app/alerts/waiting: without the switch no alert names a contact, and none ever has a word of a message',
  ],
}
