import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { read } from '../../data/queries.ts'
import { useRefresh } from '../../data/use-refresh.ts'
import { classes } from '../../ui/classes.ts'
import { SelectField } from '../../ui/field.tsx'
import type { SettingsForm } from './use-settings-form.ts'
import { fieldWords, settingWords as words } from './words.ts'

/** The built-in engine, or a language model by one of the account's connections. */
export function Engine({ form }: { form: SettingsForm }) {
  const connections = useQuery(read('GET /api/connections')).data?.connections ?? []
  useRefresh(['campaigns'], ['GET /api/connections'])
  const { engine } = form.values
  const current = connections.find(({ id }) => id === form.values.connectionId)
  const [first] = connections
  const useModel = () => {
    if (current) form.set({ engine: current.kind })
    else if (first) form.choose(first)
  }
  return (
    <fieldset className="stack stack-3 settings-form-fieldset" aria-label={fieldWords.engine}>
      <Choice isOn={engine === 'builtin'} onChoose={() => form.set({ engine: 'builtin' })} title={words.builtin}>
        {words.builtinSays}
      </Choice>
      <Choice isOn={engine !== 'builtin'} isDisabled={!first} onChoose={useModel} title={words.modelEngine}>
        {words.modelSays}
      </Choice>
      {first ? (
        engine !== 'builtin' && (
          <SelectField
            label={words.connection}
            value={current?.id ?? ''}
            onChange={(event) => {
              const chosen = connections.find(({ id }) => id === event.target.value)
              if (chosen) form.choose(chosen)
            }}
          >
            {!current && <option value="">{words.noConnection}</option>}
            {connections.map(({ id, name, model }) => (
              <option value={id} key={id}>
                {model === null ? name : `${name} · ${model}`}
              </option>
            ))}
          </SelectField>
        )
      ) : (
        <p className="small muted">
          {words.noModel} <Link to="/settings/ai">{words.makeConnection}</Link>
        </p>
      )}
    </fieldset>
  )
}

type ChoiceProps = {
  isOn: boolean
  isDisabled?: boolean
  onChoose: () => void
  title: string
  children: React.ReactNode
}

function Choice({ isOn, isDisabled = false, onChoose, title, children }: ChoiceProps) {
  return (
    <label className={classes('row note settings-form-engine', isOn && 'on')}>
      <input type="radio" className="check" name="engine" checked={isOn} disabled={isDisabled} onChange={onChoose} />
      <span>
        <b className="strong">{title}</b> <span className="muted">· {children}</span>
      </span>
    </label>
  )
}
