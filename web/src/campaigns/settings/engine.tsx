import type { ShownCampaign } from '@patchbay/contract/app/campaigns.ts'
import { classes } from '../../ui/classes.ts'
import { fieldWords, settingWords as words } from '../../words/campaign-fields.ts'
import type { SettingsDraft } from './use-draft.ts'

/** The built-in engine, or the language model that the campaign has a connection to. */
export function Engine({ campaign, draft }: { campaign: ShownCampaign; draft: SettingsDraft }) {
  const { engine, model } = draft.settings
  const { provider } = campaign
  const own = campaign.settings.engine
  const remote = own === 'builtin' ? (provider.baseUrl === null ? undefined : 'openai-compatible') : own
  const canBeModel = remote !== undefined && model !== null
  return (
    <fieldset className="stack stack-3 plain-fieldset" aria-label={fieldWords.engine}>
      <Choice isOn={engine === 'builtin'} onChoose={() => draft.set({ engine: 'builtin' })} title={words.builtin}>
        {words.builtinSays}
      </Choice>
      <Choice
        isOn={engine !== 'builtin'}
        isDisabled={!canBeModel}
        onChoose={() => remote && draft.set({ engine: remote })}
        title={words.modelEngine}
      >
        {words.modelSays}
        <br />
        {canBeModel
          ? `${words.connection(remote, model, provider.baseUrl)} · ${provider.hasKey ? words.key.has : words.key.none}`
          : words.noModel}
      </Choice>
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
    <label className={classes('row note engine-choice', isOn && 'on')}>
      <input type="radio" className="check" name="engine" checked={isOn} disabled={isDisabled} onChange={onChoose} />
      <span>
        <b className="strong">{title}</b> <span className="muted">· {children}</span>
      </span>
    </label>
  )
}
