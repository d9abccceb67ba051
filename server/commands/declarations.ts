import { type CommandCtx, declare, type OptionsOf, type Result } from './shared/command.ts'
import { installationCommands } from './shared/installation-commands.ts'

/**
 * Every command with its options, in the order of the help. What each does is in the file that `run.ts` names: help and a
 * mistyped option load none of them.
 */
export const declarations = {
  ...installationCommands,
  'account create': declare({
    summary: 'create an account; prints its API key, and its password if none was given',
    required: ['email'],
    optional: ['password'],
    flags: ['agency'],
  }),
  'account show': declare({
    summary: 'list all accounts, or show one; isInstallationOwner marks the one created at the first start',
    optional: ['account'],
  }),
  'account password': declare({
    summary: "set the owner's password; without --password a new one is generated",
    required: ['account'],
    optional: ['password'],
  }),
  'account limit': declare({
    summary: 'set the rate limit of an account: requests per minute, or "default"',
    required: ['account', 'per-minute'],
  }),
  'account retention': declare({
    summary:
      'show for how many days an account keeps things; with --kind and --days let it keep messages, attachments, answers, attempts, unanswered or calls for fewer days than the installation, or "default"',
    required: ['account'],
    optional: ['kind', 'days'],
    flags: ['yes'],
  }),
  'key generate': declare({
    summary: 'generate a new API key; the old one stops working at once',
    required: ['account'],
  }),
  'bot on': declare({
    summary: 'switch the bot on for an account, or with --contact for one contact',
    required: ['account'],
    optional: ['contact'],
  }),
  'bot off': declare({
    summary:
      'switch the bot off for an account, or with --contact for one contact; messages are stored and wait for a person',
    required: ['account'],
    optional: ['contact'],
  }),
  'bot ask': declare({
    summary: 'show how a campaign would answer a question: decision, scores and text; nothing is stored',
    required: ['campaign'],
    words: 'question',
  }),
  'campaign create': declare({
    summary:
      'create a campaign (a configuration of the bot) from a JSON file; prints its id, which callers send as campaignId',
    required: ['account', 'file'],
  }),
  'campaign update': declare({
    summary: 'change the fields of a campaign that the file contains, and no others',
    required: ['id', 'file'],
  }),
  'campaign show': declare({
    summary: "list an account's campaigns; with --campaign show one with all settings and its unanswered questions",
    required: ['account'],
    optional: ['campaign'],
  }),
  'knowledge import': declare({
    summary: 'add questions and answers from CSV or JSON; returns when the bot can use them',
    required: ['campaign', 'file'],
  }),
  'knowledge show': declare({
    summary: "list a campaign's questions and answers, oldest first; pass `next` as --after for the next page",
    required: ['campaign'],
    optional: ['limit', 'after'],
  }),
  'knowledge delete': declare({
    summary: "delete an entry of a campaign's questions and answers; the bot stops using it at once",
    required: ['campaign', 'entry'],
  }),
  conversations: declare({
    summary:
      'list conversations, last active first, or with --waiting those that wait for a person, the longest first: who answers, who waits, why and how long; pass `next` as --before for the next page',
    required: ['account'],
    optional: ['limit', 'before'],
    flags: ['waiting'],
  }),
  'contact show': declare({
    summary:
      'show a contact, who answers them, and whether they wait for a person; give exactly one of the four options',
    required: ['account'],
    optional: ['contact', 'phone', 'email', 'external-id'],
  }),
  'contact erase': declare({
    summary: 'erase a contact and all their messages and data; this cannot be undone',
    required: ['account', 'contact'],
    flags: ['yes'],
  }),
  'contact opt-out': declare({
    summary: 'opt a contact out: the bot and lists no longer write to them; a person still may',
    required: ['account', 'contact'],
  }),
  'contact opt-in': declare({
    summary: 'end the opt-out of a contact, whether they or an operator had set it',
    required: ['account', 'contact'],
  }),
  reply: declare({
    summary:
      'send a message to a contact as a person; the bot then pauses in this conversation. It leaves over the channel of their last message, or over --channel: a chn_… of `channel show`, or custom. With --file a file goes along; then --body may be left out',
    required: ['account', 'contact'],
    optional: ['body', 'channel', 'file'],
  }),
  takeover: declare({
    summary: 'give the conversation to a person; the bot does not answer in it',
    required: ['account', 'contact'],
  }),
  handback: declare({
    summary:
      'give the conversation back to the bot, for new messages; with --answer also for those that are unanswered',
    required: ['account', 'contact'],
    flags: ['answer'],
  }),
  'list create': declare({
    summary: 'create a list; prints its id, which callers send',
    required: ['account', 'name'],
  }),
  'list show': declare({
    summary: "show an account's lists with their ids and counts",
    required: ['account'],
  }),
  'subaccount create': declare({
    summary: 'create a sub-account of an agency; --credits grants its first credits',
    required: ['agency', 'email'],
    optional: ['password', 'credits'],
  }),
  'subaccount show': declare({
    summary: "list an agency's sub-accounts with balance, held credits and recharge settings",
    required: ['agency'],
  }),
  'credits grant': declare({
    summary: 'grant credits to a sub-account',
    required: ['agency', 'email', 'amount'],
    optional: ['description'],
  }),
  'credits reverse': declare({
    summary: 'reverse a movement of credits by an opposite one; the history is never changed',
    required: ['account', 'entry'],
    optional: ['description'],
  }),
  'recharge set': declare({
    summary:
      'send the agency a recharge request for --amount credits when a sub-account has fewer than --threshold; threshold 0: never',
    required: ['account', 'threshold', 'amount'],
  }),
  ledger: declare({
    summary: "show a sub-account's balance and history, newest first; or with --days the sums of each of the last days",
    required: ['account'],
    optional: ['limit', 'before', 'days'],
  }),
  'ledger check': declare({
    summary: 'verify all invariants of the ledger; on a violation exits with 1 and lists it',
  }),
  'webhook set': declare({
    summary:
      'set the URL that gets replies, with --kind recharge the recharge requests, with --kind alert the alerts; prints the signing secret',
    required: ['account', 'url'],
    optional: ['kind'],
  }),
  'webhook show': declare({
    summary: "show an account's webhooks: URL, state of the receiver, and signing secrets in use",
    required: ['account'],
  }),
  'webhook test': declare({
    summary: 'post a test event, and another one with a wrong signature; shows whether the receiver checks signatures',
    required: ['account'],
    optional: ['kind'],
  }),
  'webhook rotate': declare({
    summary: 'generate a new signing secret; the old one stays valid for 24 hours, with --leaked it is revoked at once',
    required: ['account'],
    optional: ['kind'],
    flags: ['leaked'],
  }),
  'webhook pause': declare({
    summary: 'post no events until `webhook resume`; none are lost',
    required: ['account'],
    optional: ['kind'],
  }),
  'webhook resume': declare({
    summary: 'post events again after a pause, including those that failed meanwhile',
    required: ['account'],
    optional: ['kind'],
  }),
  'webhook remove': declare({
    summary: 'delete the URL and its secret; later events fail',
    required: ['account'],
    optional: ['kind'],
  }),
  'channel connect': declare({
    summary:
      'connect a sender of a provider with the credentials in a JSON file, or - for standard input: {"token": "…"} of a Telegram bot, {"accountSid": "AC…", "authToken": "…", "sender": "+44…"} of SMS by Twilio; or make a website chat, --kind webchat, with its settings: {"pages": ["shop.example"]}',
    required: ['account', 'kind', 'file'],
  }),
  'channel show': declare({
    summary: "list an account's built-in channels with their state and what was found when they were looked at",
    required: ['account'],
  }),
  'channel check': declare({
    summary: 'look at a channel now; with --take-over what another tool has set at the provider is replaced',
    required: ['account', 'channel'],
    flags: ['take-over'],
  }),
  'channel remove': declare({
    summary: 'disconnect a channel: its credentials are deleted, what waits to be sent fails, its history stays',
    required: ['account', 'channel'],
  }),
  'channel hold': declare({
    summary:
      'say that this database is a copy: no channel sends, fetches or sets an address until `channel resume`; restore says it by itself',
    flags: ['all'],
  }),
  'channel resume': declare({
    summary: 'say that this copy is the one that goes on, for one channel of an account or for --all',
    optional: ['account', 'channel'],
    flags: ['all'],
  }),
  messages: declare({
    summary:
      "list an account's messages, newest first, with their status; or with --message show one with the bot's decision and the delivery attempts",
    required: ['account'],
    optional: ['contact', 'limit', 'message'],
  }),
  'media save': declare({
    summary: 'save the attachment of a message to a new file, or into a folder; never overwrites',
    required: ['account', 'message', 'to'],
  }),
  resend: declare({
    summary: 'send a message again with the same id; or with --failed all that failed --since a time',
    required: ['account'],
    optional: ['message', 'since'],
    flags: ['failed'],
  }),
}

export type CommandName = keyof typeof declarations

/** What a command does with its options, and with the words that are none. */
export type Run<Name extends CommandName> = (
  ctx: CommandCtx,
  options: OptionsOf<(typeof declarations)[Name]>,
  text: string,
) => Promise<Result>
