import { type ConnectionKind, usualPromptTokens } from '@patchbay/contract/app/connections.ts'
import { limits } from '@patchbay/contract/limits.ts'
import { Field } from '../../ui/field.tsx'
import { aiWords as words } from './words.ts'

export type Draft = { name: string; baseUrl: string; model: string; apiKey: string; promptTokens: string }

/** Null: as usual for the kind. */
export const promptTokensOf = ({ promptTokens }: Draft) => (promptTokens.trim() === '' ? null : Number(promptTokens))
export type Faults = { [Name in keyof Draft]?: string | undefined }

/** What is missing, by its field. */
export function faultsOf(draft: Draft, kind: ConnectionKind): Faults | undefined {
  const { name, baseUrl, model } = draft
  const { from, to } = limits.promptTokens
  const tokens = promptTokensOf(draft) ?? from
  const isWithin = Number.isInteger(tokens) && tokens >= from && tokens <= to
  const faults = {
    name: name.trim() === '' ? words.nameMissing : undefined,
    baseUrl: baseUrl.trim() === '' && kind === 'openai-compatible' ? words.urlMissing : undefined,
    model: model.trim() === '' ? words.modelMissing : undefined,
    promptTokens: isWithin ? undefined : words.tokensWrong(from.toLocaleString(), to.toLocaleString()),
  }
  return Object.values(faults).some((fault) => fault !== undefined) ? faults : undefined
}

type Props = {
  draft: Draft
  faults: Faults
  kind: ConnectionKind
  readOnly?: boolean
  hasKey?: boolean
  losesKey?: boolean
  onChange: (draft: Draft) => void
}

/** Name, address, model, key and size of the prompt of a connection. */
export function ConnectionFields({ draft, faults, kind, readOnly, hasKey, losesKey, onChange }: Props) {
  const field = (name: keyof Draft) => ({
    value: draft[name],
    error: faults[name],
    readOnly,
    spellCheck: false,
    autoComplete: 'off',
    onChange: (event: { target: { value: string } }) => onChange({ ...draft, [name]: event.target.value }),
  })
  const nameField = <Field label={words.name} maxLength={limits.nameCharacters} {...field('name')} />
  return (
    <>
      {nameField}
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
