import { useState } from 'react'
import { Check } from '../../ui/check.tsx'
import { Field, TextField } from '../../ui/field.tsx'
import type { Settings, SettingsForm } from './use-settings-form.ts'
import { fieldWords, settingWords as words } from './words.ts'

type NameOf<Value> = { [Name in keyof Settings]: Settings[Name] extends Value ? Name : never }[keyof Settings]

type NumberProps = {
  form: SettingsForm
  name: NameOf<number | null>
  /** What one of the shown unit is in the stored one: hours of minutes are 60. */
  per?: number
  unit?: string
  /** What an empty field means, where it may be empty. */
  none?: string
}

/** A number with its unit. An empty one means none where that is allowed, and is refused by the server where not. */
export function NumberField({ form, name, per = 1, unit, none }: NumberProps) {
  const value = form.values[name]
  return (
    <div className="settings-form-number">
      <Field
        label={fieldWords[name]}
        aside={unit && <span className="small faint">{unit}</span>}
        type="number"
        step="any"
        mono
        placeholder={none}
        value={value === null || Number.isNaN(value) ? '' : String(value / per)}
        onChange={({ target }) => {
          const number = target.value === '' ? (none === undefined ? Number.NaN : null) : target.valueAsNumber * per
          form.set({ [name]: number })
        }}
      />
    </div>
  )
}

type TextProps = {
  form: SettingsForm
  name: NameOf<string | null>
  rows?: number
  hint?: string
  isNullable?: boolean
}

export function TextSetting({ form, name, rows = 1, hint, isNullable = false }: TextProps) {
  const props = {
    label: fieldWords[name],
    hint,
    dir: 'auto' as const,
    value: form.values[name] ?? '',
    onChange: ({ target }: { target: { value: string } }) =>
      form.set({ [name]: isNullable && target.value.trim() === '' ? null : target.value }),
  }
  return rows > 1 ? <TextField {...props} rows={rows} /> : <Field {...props} autoComplete="off" />
}

export function FlagSetting({ form, name }: { form: SettingsForm; name: NameOf<boolean> }) {
  return (
    <Check checked={form.values[name]} onChange={({ target }) => form.set({ [name]: target.checked })}>
      {fieldWords[name]}
    </Check>
  )
}

/** Phrases, one on each line. */
export function PhrasesSetting({ form, name }: { form: SettingsForm; name: 'personPhrases' | 'stopPhrases' }) {
  const [typed, setTyped] = useState('')
  const phrases = form.values[name].join('\n')
  return (
    <TextField
      label={fieldWords[name]}
      hint={words.onePerLine}
      rows={3}
      dir="auto"
      // As it was typed, with blank lines, unless the form has other phrases: then it was cancelled or taken over.
      value={readPhrases(typed).join('\n') === phrases ? typed : phrases}
      onChange={({ target }) => {
        setTyped(target.value)
        form.set({ [name]: readPhrases(target.value) })
      }}
    />
  )
}

const readPhrases = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
