import type { SimulatorState } from '@patchbay/contract/app/simulator.ts'
import { Check } from '../../ui/check.tsx'
import { Field, SelectField } from '../../ui/field.tsx'
import type { Writer } from './use-simulator.ts'
import { simulatorWords as words } from './words.ts'

type Props = {
  contacts: SimulatorState['contacts']
  contactId: string | null
  writer: Writer
  change: (part: Partial<Writer>) => void
  choose: (contactId: string | null) => void
}

export function WhoWrites({ contacts, contactId, writer, change, choose }: Props) {
  return (
    <div className="stack stack-3">
      <h2 className="h-section">{words.whoWrites}</h2>
      {contacts.length > 0 && (
        <SelectField
          label={words.contact}
          value={contactId ?? ''}
          onChange={(event) => choose(event.target.value === '' ? null : event.target.value)}
        >
          {contacts.map(({ contactId: id, name, channel }) => (
            <option key={id} value={id}>
              {name} · {channel.name}
            </option>
          ))}
          <option value="">{words.newContact}</option>
        </SelectField>
      )}
      {contactId === null && (
        <>
          <Field
            label={words.firstName}
            value={writer.firstName}
            onChange={(event) => change({ firstName: event.target.value })}
          />
          <Field
            label={words.channel}
            value={writer.channel}
            onChange={(event) => change({ channel: event.target.value })}
          />
        </>
      )}
      <Check checked={writer.twice} onChange={(event) => change({ twice: event.target.checked })}>
        {words.twice}
      </Check>
    </div>
  )
}
