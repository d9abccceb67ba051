import type { SubaccountDetail } from '@patchbay/contract/app/agency.ts'
import { sayBuiltIn } from '@patchbay/contract/channels.ts'
import { limits } from '@patchbay/contract/limits.ts'
import { useState } from 'react'
import { plainText, unitsOf } from '../credits/amount.ts'
import { call } from '../data/api.ts'
import { PasswordLink } from '../settings/team/password-link.tsx'
import { teamWords } from '../settings/team/words.ts'
import { Button } from '../ui/button.tsx'
import { sayError } from '../ui/error-state.tsx'
import { Field } from '../ui/field.tsx'
import { showToast } from '../ui/toast.ts'
import { useForm } from '../ui/use-form.ts'
import { keepSubaccount } from './subaccount-query.ts'
import { agencyWords as words } from './words.ts'

const path = '/api/agency/subaccounts/:accountId'

/** Name, e-mail address, rate limit and prices: each line is saved by itself. */
export function SettingsForm({ detail }: { detail: SubaccountDetail }) {
  const { subaccount, rateLimitPerMinute, usualRateLimit, mostRateLimit } = detail
  const params = { accountId: subaccount.id }
  const change = (body: { name?: string; email?: string; rateLimitPerMinute?: number | null }) =>
    call(`PATCH ${path}`, { params, body })
  return (
    <section className="stack stack-3" aria-label={words.sets}>
      <div>
        <h3 className="h-section">{words.sets}</h3>
        <p className="small muted">{words.setsSays}</p>
      </div>
      <div className="card card-body stack stack-3">
        <Line
          label={words.name}
          value={subaccount.name}
          maxLength={limits.nameCharacters}
          check={(text) => text === '' && words.nameMissing}
          save={(name) => change({ name })}
        />
        <Line
          label={words.email}
          value={subaccount.email}
          maxLength={limits.emailCharacters}
          check={(text) => text === '' && words.emailMissing}
          save={(email) => change({ email })}
        />
        <NewPassword accountId={subaccount.id} email={subaccount.email} />
        <Line
          label={words.rate}
          mono
          value={rateLimitPerMinute === null ? '' : String(rateLimitPerMinute)}
          hint={words.rateHint(usualRateLimit, mostRateLimit)}
          maxLength={10}
          check={(text) => !/^\d{0,9}$/.test(text) && words.rateWrong}
          save={(text) => change({ rateLimitPerMinute: text === '' ? null : Number(text) })}
        />
        <Prices detail={detail} />
      </div>
    </section>
  )
}

/** What answers of the bot cost, and messages over built-in channels. */
function Prices({ detail: { subaccount, campaigns, channels } }: { detail: SubaccountDetail }) {
  const params = { accountId: subaccount.id }
  return (
    <>
      {campaigns.map(({ id, name, creditsPerReply }) => (
        <Line
          key={id}
          label={words.price(name)}
          mono
          value={String(creditsPerReply)}
          maxLength={10}
          check={(text) => unitsOf(text) === undefined && words.priceWrong}
          save={(text) =>
            call(`PUT ${path}/campaigns/:campaignId`, {
              params: { ...params, campaignId: id },
              body: { creditsPerReply: Number(plainText(text)) },
            })
          }
        />
      ))}
      {channels.map((channel) => (
        <Line
          key={channel.id}
          label={words.messagePrice(sayBuiltIn(channel))}
          mono
          value={String(channel.creditsPerMessage)}
          maxLength={10}
          check={(text) => unitsOf(text) === undefined && words.priceWrong}
          save={(text) =>
            call(`PUT ${path}/channels/:channelId`, {
              params: { ...params, channelId: channel.id },
              body: { creditsPerMessage: Number(plainText(text)) },
            })
          }
        />
      ))}
    </>
  )
}

/** Makes a link for a new password: the owner of a sub-account has nobody else to ask for one. */
function NewPassword({ accountId, email }: { accountId: string; email: string }) {
  const [isOpen, setOpen] = useState(false)
  if (!isOpen) {
    return (
      <Button size="sm" className="insp-start" onClick={() => setOpen(true)}>
        {teamWords.resetPassword}
      </Button>
    )
  }
  return (
    <PasswordLink
      name={email}
      says={words.passwordLinkSays}
      make={() => call(`POST ${path}/password`, { params: { accountId } })}
      onClose={() => setOpen(false)}
    />
  )
}

type LineProps = {
  label: string
  value: string
  hint?: string
  mono?: boolean
  maxLength: number
  check: (text: string) => string | false
  save: (text: string) => Promise<SubaccountDetail>
}

function Line({ label, value, hint, mono = false, maxLength, check, save }: LineProps) {
  const form = useForm({
    initial: { text: value },
    check: ({ text }) => ({ text: check(text.trim()) }),
    send: ({ text }) => save(text.trim()),
    onSaved: (detail) => {
      keepSubaccount(detail)
      showToast({ text: words.saved })
    },
    onlyChanges: true,
    place: (error) => ({ text: sayError(error).title }),
  })
  return (
    <form {...form.form}>
      <Field
        label={label}
        mono={mono}
        hint={hint}
        maxLength={maxLength}
        aside={
          form.isChanged && (
            <Button type="submit" size="sm" busy={form.isSending && words.saving}>
              {words.save}
            </Button>
          )
        }
        {...form.field('text')}
      />
    </form>
  )
}
