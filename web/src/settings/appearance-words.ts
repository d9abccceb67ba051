export const appearanceWords = {
  theme: 'Theme',
  themeSays: 'Kept in this browser.',
  themes: { system: 'As the system', light: 'Light', dark: 'Dark' },
  keys: 'Keys',
  keysSays:
    'Single letters act while no field has the focus. Switch them off if you dictate, or press them by accident.',
  letterKeys: 'Single-letter keys',
  showKeys: 'Show all keys',
} as const
