/** The words of what is known of a visitor of a website. */
export const visitorWords = {
  left: 'Left',
  notVerified: 'not verified',
  copyEmail: 'Copy the e-mail address that they left',
  useAsEmail: 'Use as e-mail',
  using: 'Saving…',
  block: (name: string) => `Block ${name}`,
  blockSays: (name: string) =>
    `${name} can write no more on the website and reads “This chat is closed”. What is here stays. You can unblock them.`,
  alsoNetwork:
    'Take nobody new from their network address either, for 24 hours. Others there may be shut out with them.',
  blockIt: 'Block',
  blocking: 'Blocking…',
  keep: 'Do not block',
  blocked: 'Blocked',
  unblock: 'Unblock',
  askedToBeDeleted: (name: string) => `${name} asked to be deleted`,
  askedHow: 'They want what is kept of them here to go. Erasing removes the contact with all messages, for good.',
  erase: 'Erase them…',
  ownerErases: 'An owner can erase them.',
  keepThem: 'They stay',
  keeping: 'Saving…',
  keepSays: 'If they stay, thread and audit say that you decided it.',
} as const
