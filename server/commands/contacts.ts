import { eraseContact, showContact } from '../src/inbox/erase-contact.ts'
import { command } from './command.ts'
import { withContact } from './conversations.ts'

export const contactShow = command({
  summary: 'a contact, who answers them, and whether they wait for a person',
  required: ['account', 'contact'],
  run: (ctx, named) => withContact(ctx, named, showContact),
})

export const contactErase = command({
  summary: 'erase a contact and everything they said or were told; this cannot be undone',
  required: ['account', 'contact'],
  run: (ctx, named) => withContact(ctx, named, eraseContact),
})
