import { limits } from '@patchbay/contract/limits.ts'
import { type ConnectionKind, usualPromptTokens } from '@patchbay/contract/model-connections.ts'
import { Field } from '../../ui/field.tsx'
import type { FieldErrors, useForm } from '../../ui/use-form.ts'
import { aiWords as words } from './words.ts'

export type Draft = Record<'name' | 'baseUrl' | 'model' | 'apiKey' | 'promptTokens', string> & { kind: ConnectionKind }

/** Reads the size of the prompt; null: as usual for the kind. */
export const promptTokensOf = ({ promptTokens }: Draft) => (promptTokens.trim() === '' ? null : Number(promptTokens))

export function checkConnection(draft: Draft): FieldErrors<Draft> {
  const { name, kind, baseUrl, model } = draft
  const { from, to } = limits.promptTokens
  const tokens = promptTokensOf(draft) ?? from
  const isWithin = Number.isInteger(tokens) && tokens >= from && tokens <= to
  return {
    name: name.trim() === '' && words.nameMissing,
    baseUrl: baseUrl.trim() === '' && kind === 'openai-compatible' && words.urlMissing,
    model: model.trim() === '' && words.modelMissing,
    promptTokens: !isWithin && words.tokensWrong(from.toLocaleString(), to.toLocaleString()),
  }
}

type Props = {
  form: Pick<ReturnType<typeof useForm<Draft, unknown>>, 'values' | 'field'>
  readOnly?: boolean
  hasKey?: boolean
  losesKey?: boolean
}

/** Name, address, model, key and size of the prompt of a connection. */
export function ConnectionFields({ form, readOnly, hasKey, losesKey }: Props) {
  const { kind } = form.values
  const field = (name: keyof Draft) => ({ ...form.field(name), readOnly, spellCheck: false, autoComplete: 'off' })
  return (
    <>
      <Field label={words.name} maxLength={limits.nameCharacters} {...field('name')} />
      <div className="row wrap connection-fields">
        <Field
          label={words.url}
          mono
          inputMode="url"
          maxLength={limits.urlCharacters}
          placeholder={kind === 'openai-compatible' ? 'https://' : words.vendorUrl}
          {...field('baseUrl')}
        />
        <Field label={words.model} mono maxLength={limits.nameCharacters} {...field('model')} />
      </div>
      <Field
        label={words.key}
        mono
        type="password"
        maxLength={limits.idCharacters}
        placeholder={hasKey ? words.keyKept : words.keyNone}
        hint={losesKey ? words.keyAgain : words.keyHint}
        {...field('apiKey')}
        autoComplete="new-password"
      />
      <Field
        label={words.tokens}
        className="connection-tokens"
        inputMode="numeric"
        maxLength={6}
        placeholder={String(usualPromptTokens[kind])}
        hint={words.tokensHint(usualPromptTokens[kind].toLocaleString(), kind === 'openai-compatible')}
        {...field('promptTokens')}
      />
    </>
  )
}
