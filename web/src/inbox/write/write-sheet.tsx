import './write.css'
import type { WaysTo } from '@patchbay/contract/app/conversations.ts'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useRef } from 'react'
import { Button } from '../../ui/button.tsx'
import { Failed } from '../../ui/failed.tsx'
import { TextField } from '../../ui/field.tsx'
import { Sheet } from '../../ui/sheet.tsx'
import { Segments } from '../compose/segments.tsx'
import { focusPane } from '../panes.ts'
import { Chosen, ToField } from './to-field.tsx'
import { useWrite } from './use-write.ts'
import { WayField } from './way-field.tsx'
import { writeWords as words } from './words.ts'
import { type WriteTo, writeTo } from './write-to.ts'

/** Writing to somebody first: to whom, by which way, what. A number that is nobody's makes the contact; then it is a conversation as any other. */
export function WriteSheet({ contact }: WriteTo) {
  const navigate = useNavigate()
  const close = () => writeTo.set(undefined)
  const cancel = () => {
    close()
    if (contact) void navigate({ to: '/contacts/$contactId', params: { contactId: contact.id } })
  }
  const write = useWrite(contact, (contactId) => {
    close()
    void navigate({ to: '/inbox/$contactId', params: { contactId }, search: true })
    requestAnimationFrame(() => focusPane('composer'))
  })
  const { form } = write
  const { ref: element } = form.form
  const isChosen = form.values.contactId !== ''
  useEffect(() => {
    const first = isChosen ? 'textarea' : 'input[name="to"]'
    element.current?.querySelector<HTMLElement>(first)?.focus()
  }, [element, isChosen])
  return (
    <Sheet
      title={contact ? words.titleOf(contact.name) : words.title}
      onClose={cancel}
      footer={
        <>
          <Button look="primary" type="submit" form={form.form.id} busy={form.isSending && words.sending}>
            {words.send}
          </Button>
          <Button look="quiet" onClick={cancel}>
            {words.cancel}
          </Button>
        </>
      }
    >
      <form {...form.form} className="write-form">
        <To write={write} isFixed={contact !== undefined} />
        <By write={write} />
        <Body write={write} />
      </form>
      <Failed error={form.failure} />
    </Sheet>
  )
}

type PartProps = { write: ReturnType<typeof useWrite> }

function To({ write: { form, found }, isFixed }: PartProps & { isFixed: boolean }) {
  const { values, set, errors } = form
  if (values.contactId !== '') {
    const drop = () => set({ contactId: '', to: '', channelId: '' })
    return <Chosen name={values.to} onDrop={isFixed ? undefined : drop} />
  }
  return (
    <ToField
      value={values.to}
      error={errors.to}
      hint={<span role="status">{sayFound(found)}</span>}
      onType={(to) => set({ to, channelId: '' })}
      onChoose={({ id, name }) => set({ contactId: id, to: name, channelId: '' })}
      onBlur={form.field('to').onBlur}
    />
  )
}

function By({ write: { form, found, isLooking, way } }: PartProps) {
  if (!found) return <p className="small muted">{isLooking ? words.looking : words.firstTo}</p>
  return (
    <WayField
      ways={found.ways}
      value={way?.channelId}
      error={form.errors.channelId}
      isToNumber={found.contact === null}
      onChoose={(channelId) => form.set({ channelId })}
    />
  )
}

function Body({ write: { form, way } }: PartProps) {
  const area = useRef<HTMLTextAreaElement>(null)
  const send = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.submit(event)
  }
  return (
    <div>
      <TextField ref={area} label={words.body} {...form.field('body')} rows={5} dir="auto" onKeyDown={send} />
      <Segments way={way} text={form.values.body} setText={(body) => form.set({ body })} area={area} />
    </div>
  )
}

function sayFound(found: WaysTo | undefined): string {
  if (!found) return words.toHint
  return found.contact ? words.isTheirs(found.contact.name ?? words.noName) : words.isNew
}
