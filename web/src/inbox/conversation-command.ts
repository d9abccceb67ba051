import type { Command } from '../commands/commands.ts'
import { inboxWords as words } from './words.ts'

type Icon = NonNullable<Command['palette']>['icon']

/** A command of the open conversation, but for what it does; without an icon the palette leaves it out. */
export function conversationCommand(
  id: string,
  label: string,
  keys: string | undefined,
  icon?: Icon,
): Omit<Command, 'run'> {
  return {
    id,
    label,
    group: words.keys.group,
    ...(keys !== undefined && { keys }),
    ...(icon && { palette: { group: words.commands.group, icon } }),
  }
}
