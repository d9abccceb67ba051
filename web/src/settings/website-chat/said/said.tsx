import { type ChatLanguage, chatLanguages } from '@patchbay/contract/chat/protocol.ts'
import { Check } from '../../../ui/check.tsx'
import { ErrorLine, Field, SelectField, TextField } from '../../../ui/field.tsx'
import { Seg } from '../../../ui/seg.tsx'
import type { ChatForm } from '../form/use-chat-form.ts'
import { Group } from '../group.tsx'
import { chatWords as words } from '../words.ts'

type Props = {
  form: ChatForm
  mayChange: boolean
  language: ChatLanguage
  onLanguage: (language: ChatLanguage) => void
}

/** The languages that are offered, and what the owner has written in each. */
export function Said({ form, mayChange, language, onLanguage }: Props) {
  const { languages } = form.values
  const [first = 'en'] = languages
  const toggle = (one: ChatLanguage, isOn: boolean) =>
    form.set({ languages: isOn ? [...languages, one] : languages.filter((other) => other !== one) })
  return (
    <>
      <fieldset className="field chat-set-fieldset" disabled={!mayChange}>
        <legend className="label">{words.languages}</legend>
        <div className="row wrap chat-set-languages">
          {chatLanguages.map((one, n) => (
            <Check
              key={one}
              name={n === 0 ? 'languages' : undefined}
              checked={languages.includes(one)}
              onChange={({ target }) => toggle(one, target.checked)}
            >
              <span lang={one}>{words.languageNames[one]}</span>
            </Check>
          ))}
        </div>
        <ErrorLine error={form.errors.languages} />
        <span className="hint">{words.languagesHint}</span>
      </fieldset>
      {languages.length > 1 && (
        <SelectField
          label={words.otherwise}
          disabled={!mayChange}
          value={first}
          onChange={({ target }) => {
            const chosen = languages.filter((one) => one === target.value)
            form.set({ languages: [...chosen, ...languages.filter((one) => one !== target.value)] })
          }}
        >
          {languages.map((one) => (
            <option value={one} key={one}>
              {words.languageNames[one]}
            </option>
          ))}
        </SelectField>
      )}
      {languages.length > 1 && (
        <div className="field">
          <span className="label">{words.wordsIn}</span>
          <Seg
            label={words.wordsIn}
            value={language}
            options={languages.map((value) => ({
              value,
              label: <span lang={value}>{words.languageNames[value]}</span>,
            }))}
            onChange={onLanguage}
          />
        </div>
      )}
      <Group key={language} mayChange={mayChange}>
        <WordsIn form={form} language={language} />
      </Group>
    </>
  )
}

const blank = { greeting: '', button: '', privacy: '', privacyUrl: null }

/** What the owner says in one language. */
function WordsIn({ form, language }: Pick<Props, 'form' | 'language'>) {
  const { name, words: all } = form.values
  const said = all[language] ?? blank
  const set = (change: Partial<typeof said>) => {
    const now = { ...said, ...change }
    const { [language]: _before, ...others } = all
    form.set({ words: isBlank(now) && !form.base.values.words[language] ? others : { ...all, [language]: now } })
  }
  const shared = { lang: language, dir: 'auto' as const, autoComplete: 'off' }
  return (
    <>
      <TextField
        {...shared}
        label={words.greeting}
        hint={words.greetingHint}
        rows={2}
        maxLength={500}
        value={said.greeting}
        onChange={({ target }) => set({ greeting: target.value })}
      />
      <Field
        {...shared}
        label={words.button}
        hint={words.buttonHint}
        maxLength={40}
        value={said.button}
        onChange={({ target }) => set({ button: target.value })}
      />
      <div className="chat-set-two">
        <Field
          {...shared}
          label={words.privacy}
          hint={words.privacyHint(name)}
          maxLength={200}
          value={said.privacy}
          onChange={({ target }) => set({ privacy: target.value })}
        />
        <Field
          label={words.privacyUrl}
          hint={words.privacyUrlHint}
          error={form.errors.words}
          name="words"
          type="url"
          inputMode="url"
          placeholder="https://"
          autoComplete="off"
          spellCheck={false}
          maxLength={2_048}
          value={said.privacyUrl ?? ''}
          onChange={({ target }) => set({ privacyUrl: target.value.trim() === '' ? null : target.value.trim() })}
        />
      </div>
    </>
  )
}

const isBlank = (said: typeof blank | { privacyUrl: string | null }) => Object.values(said).every((one) => !one)
