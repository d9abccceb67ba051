import type { ChannelChange, ChannelInUse } from '@patchbay/contract/app/channels.ts'
import { isCalled, type ProviderKindName } from '@patchbay/contract/channels.ts'
import { limits } from '@patchbay/contract/limits.ts'
import { call } from '../../data/api.ts'
import { Button } from '../../ui/button.tsx'
import { providerNames } from '../../ui/channel.tsx'
import { Choices } from '../../ui/choices.tsx'
import { Conflict, differences } from '../../ui/conflict.tsx'
import { Failed } from '../../ui/failed.tsx'
import { Field } from '../../ui/field.tsx'
import { showToast } from '../../ui/toast.ts'
import { useForm } from '../../ui/use-form.ts'
import { senderWords } from '../connect/kind-words.ts'
import { refreshChannels } from '../data/queries.ts'
import { oneWords as words } from './words.ts'

type Values = Pick<ChannelInUse, 'name' | 'receivesBy' | 'whenInDoubt'> & { perSecond: string }

type Props = { channel: ChannelInUse; kind: ProviderKindName; mayChange: boolean }

/** The name of a channel and how it works. Others may change it at the same time: whose version stays is asked. */
export function SettingsForm({ channel, kind, mayChange }: Props) {
  const { usualPerSecond, receivingBy } = channel
  const own = senderWords[kind]
  const form = useSettingsForm(channel)
  const { receivesBy, whenInDoubt } = form.values
  return (
    <section aria-label={words.settings}>
      <form {...form.form} className="stack stack-4">
        <h2 className="h-section">{words.settings}</h2>
        <fieldset className="one-channel-two one-channel-form" disabled={!mayChange}>
          <div className="stack stack-4">
            <Field
              label={words.name}
              dir="auto"
              maxLength={limits.nameCharacters}
              autoComplete="off"
              {...form.field('name')}
            />
            <Field
              label={own.rate}
              inputMode="decimal"
              autoComplete="off"
              hint={words.rateHint(String(usualPerSecond))}
              {...form.field('perSecond')}
            />
          </div>
          <div className="stack stack-4">
            {!isCalled(kind) && (
              <Choices
                legend={words.receives(providerNames[kind])}
                name="receivesBy"
                value={receivesBy}
                onChoose={(receivesBy) => form.set({ receivesBy })}
                choices={[
                  {
                    value: 'auto',
                    title: words.receivesBy.auto,
                    says: words.receivesSays.auto(words.receivingNow[receivingBy]),
                  },
                  { value: 'poll', title: words.receivesBy.poll, says: words.receivesSays.poll },
                  { value: 'hook', title: words.receivesBy.hook, says: words.receivesSays.hook },
                ]}
              />
            )}
            <Choices
              legend={words.doubt}
              name="whenInDoubt"
              value={whenInDoubt}
              onChoose={(whenInDoubt) => form.set({ whenInDoubt })}
              choices={[
                { value: 'resend', title: words.whenInDoubt.resend, says: own.resend },
                { value: 'person', title: words.whenInDoubt.person, says: words.inDoubtSays.person },
              ]}
            />
          </div>
        </fieldset>
        <SaveBar channel={channel} form={form} />
      </form>
    </section>
  )
}

function useSettingsForm(channel: ChannelInUse) {
  const { id, version } = channel
  return useForm({
    initial: valuesOf(channel),
    version,
    check: ({ name, perSecond }) => ({
      name: name.trim() === '' && words.nameMissing,
      perSecond: !isRate(perSecond) && words.rateWrong,
    }),
    send: (_values, { changes, version }) =>
      call('PATCH /api/channels/:channelId', { params: { channelId: id }, body: { ...changeOf(changes), version } }),
    kept: (saved) => ({ values: valuesOf(saved), version: saved.version }),
    onSaved: () => {
      showToast({ text: words.savedAll })
      return refreshChannels()
    },
    onlyChanges: true,
  })
}

/** The buttons that save, once something was changed. */
function SaveBar({ channel, form }: { channel: ChannelInUse; form: ReturnType<typeof useSettingsForm> }) {
  if (!form.isChanged) return null
  if (form.conflict) {
    const changes = differences(said(form.base.values), said(valuesOf(channel)), fields)
    return <Conflict {...form.conflict} changes={changes} />
  }
  return (
    <>
      <Failed error={form.failure} />
      <div className="row">
        <Button look="primary" type="submit" busy={form.isSending && words.saving}>
          {words.save}
        </Button>
        <Button look="quiet" onClick={() => form.reset()}>
          {words.cancel}
        </Button>
      </div>
    </>
  )
}

const fields = {
  name: words.name,
  perSecond: words.rate,
  receivesBy: words.receivesShort,
  whenInDoubt: words.doubt,
} as const

function valuesOf({
  name,
  receivesBy,
  whenInDoubt,
  perSecond,
}: Pick<ChannelInUse, 'name' | 'receivesBy' | 'whenInDoubt' | 'perSecond'>): Values {
  return { name, receivesBy, whenInDoubt, perSecond: perSecond === null ? '' : String(perSecond) }
}

/** As they are said on the screen. */
function said({ name, receivesBy, whenInDoubt, perSecond }: Values): Record<keyof Values, string> {
  return {
    name,
    receivesBy: words.receivesBy[receivesBy],
    whenInDoubt: words.whenInDoubt[whenInDoubt],
    perSecond: perSecond === '' ? words.asUsual : perSecond,
  }
}

function changeOf({ name, perSecond, ...rest }: Partial<Values>): Omit<ChannelChange, 'version'> {
  return {
    ...rest,
    ...(name !== undefined && { name: name.trim() }),
    ...(perSecond !== undefined && { perSecond: perSecond.trim() === '' ? null : Number(perSecond) }),
  }
}

function isRate(text: string): boolean {
  const rate = Number(text)
  return text.trim() === '' || (rate >= 0.1 && rate <= 1_000)
}
