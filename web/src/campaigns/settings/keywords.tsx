import X from 'lucide-react/icons/x'
import { useState } from 'react'
import { AddLine } from '../../ui/add-line.tsx'
import { Button } from '../../ui/button.tsx'
import type { Settings, SettingsForm } from './use-settings-form.ts'
import { fieldWords, settingWords as words } from './words.ts'

type Match = Settings['keywords'][number]['match']
const matches = ['word', 'exact', 'contains'] as const

/** The words that lead a message to this campaign. */
export function Keywords({ form }: { form: SettingsForm }) {
  const { keywords } = form.values
  const [text, setText] = useState('')
  const [match, setMatch] = useState<Match>('word')
  const add = () => {
    if (text.trim() === '') return
    form.set({ keywords: [...keywords.filter((one) => one.text !== text.trim()), { text: text.trim(), match }] })
    setText('')
  }
  return (
    <fieldset className="field settings-form-fieldset">
      <legend className="label">{fieldWords.keywords}</legend>
      <div className="row wrap settings-form-keywords">
        {keywords.map((keyword) => (
          <span className="tag" key={keyword.text}>
            <bdi>{keyword.text}</bdi> <span className="faint">{words.matches[keyword.match]}</span>
            <button
              type="button"
              className="settings-form-remove"
              aria-label={words.removeKeyword(keyword.text)}
              onClick={() => form.set({ keywords: keywords.filter((one) => one !== keyword) })}
            >
              <X className="i" />
            </button>
          </span>
        ))}
      </div>
      <div className="row wrap">
        <AddLine
          className="settings-form-keyword-input"
          label={words.keyword}
          placeholder={words.keywordHint}
          value={text}
          maxLength={256}
          onText={setText}
          onAdd={add}
        />
        <select
          className="select input-sm settings-form-keyword-match"
          aria-label={words.match}
          value={match}
          onChange={(event) => setMatch(event.target.value as Match)}
        >
          {matches.map((one) => (
            <option key={one} value={one}>
              {words.matches[one]}
            </option>
          ))}
        </select>
        <Button size="sm" onClick={add}>
          {words.addKeyword}
        </Button>
      </div>
    </fieldset>
  )
}
