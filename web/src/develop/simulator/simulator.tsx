import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { connection } from '../../data/live.ts'
import { useStore } from '../../data/store.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorState, sayError } from '../../ui/error-state.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { Note } from '../../ui/note.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { Tag } from '../../ui/tag.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { DevelopHead } from '../develop-head.tsx'
import { BehaviourChoice } from './behaviour-choice.tsx'
import { EventList } from './event-list.tsx'
import { Phone } from './phone.tsx'
import { StartOver } from './start-over.tsx'
import { useEvents, usePhone, useSimulator } from './use-simulator.ts'
import { WhoWrites } from './who-writes.tsx'
import { simulatorWords as words } from './words.ts'
import '../../inbox/compose/compose.css'
import './simulator.css'

export function Simulator() {
  useTitle(words.title)
  const simulator = useSimulator({ firstName: words.firstNameOfNew, channel: words.channelOfNew })
  const { state, writer, setWriter, choose, contactId } = simulator
  const events = useEvents(contactId)
  const phone = usePhone(contactId)
  const isLive = useStore(connection).state === 'connected'
  if (state.isError) return <ErrorState error={state.error} retry={() => void state.refetch()} />
  const contacts = state.data?.contacts ?? []
  const name =
    contacts.find((contact) => contact.contactId === contactId)?.name ?? (writer.firstName || words.newContact)
  return (
    <>
      <DevelopHead says={words.says}>
        <StartOver hasContacts={contacts.length > 0} done={simulator.refresh} />
      </DevelopHead>
      <div className="sim">
        <section className="sim-who" aria-label={words.whoWrites}>
          <WhoWrites
            contacts={contacts}
            contactId={contactId}
            writer={writer}
            choose={choose}
            change={(part) => setWriter((before) => ({ ...before, ...part }))}
          />
          {state.data && <BehaviourChoice behaviour={state.data.behaviour} left={state.data.left} />}
        </section>
        <section aria-label={words.phoneOf(name)}>
          <div className="pane-head">
            <h2 className="h-section grow cut">{words.phoneOf(name)}</h2>
            {contactId ? (
              <Link className="link small" to="/inbox/$contactId" params={{ contactId }}>
                {words.inInbox}
              </Link>
            ) : (
              <span className="small faint">{words.phoneSays}</span>
            )}
          </div>
          <Phone name={name} messages={phone.data?.messages ?? []} refresh={() => void simulator.refresh()} />
          <WriteAs name={name} send={simulator.send} />
        </section>
        <section aria-label={words.events}>
          <div className="pane-head">
            <h2 className="h-section">{words.events}</h2>
            {isLive && (
              <Tag>
                <StatusDot state="ok" />
                {words.live}
              </Tag>
            )}
          </div>
          <EventList events={events.data?.events ?? []} />
        </section>
      </div>
    </>
  )
}

function WriteAs({ name, send }: { name: string; send: (body: string) => Promise<void> }) {
  const [body, setBody] = useState('')
  const sending = useMutation({ mutationFn: send, onSuccess: () => setBody('') })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (body.trim() !== '' && !sending.isPending) sending.mutate(body)
  }
  return (
    <form className="compose" onSubmit={submit}>
      {sending.isError && <Note tone="fail">{sayError(sending.error).title}</Note>}
      <div className="compose-box row sim-write">
        <input
          aria-label={words.writeAs(name)}
          placeholder={words.writeAs(name)}
          value={body}
          onChange={(event) => setBody(event.target.value)}
        />
        <Button type="submit" look="primary" size="sm" busy={sending.isPending && words.sending}>
          {words.send} <Kbd press="Enter" />
        </Button>
      </div>
    </form>
  )
}
