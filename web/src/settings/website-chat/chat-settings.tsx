import Info from 'lucide-react/icons/info'
import { type ReactNode, useId, useState } from 'react'
import type { PageChat } from '../../channels/data/chat-of.ts'
import { CheckAct } from '../../channels/parts/check-act.tsx'
import { Checks } from '../../channels/parts/checks.tsx'
import { Note } from '../../ui/note.tsx'
import { useChatForm } from './form/use-chat-form.ts'
import { Group } from './group.tsx'
import { CampaignField } from './hours/campaign-field.tsx'
import { HoursField } from './hours/hours-field.tsx'
import { Caps } from './limits/caps.tsx'
import { LastRefused } from './line/last-refused.tsx'
import { PagesField } from './line/pages-field.tsx'
import { SeenOn, TheLine } from './line/the-line.tsx'
import { Look } from './look/look.tsx'
import { Preview } from './preview/preview.tsx'
import { Said } from './said/said.tsx'
import { SaveBar } from './save-bar.tsx'
import { Flag } from './who/flag.tsx'
import { MembersSecret } from './who/members-secret.tsx'
import { Who } from './who/who.tsx'
import { chatWords as words } from './words.ts'

type Props = { channel: PageChat; mayChange: boolean }

/** All that owners set of a chat, saved together; beside it the chat itself, as it will be. */
export function ChatSettings({ channel, mayChange }: Props) {
  const form = useChatForm(channel)
  const [chosen, setLanguage] = useState(channel.chat.settings.languages[0] ?? 'en')
  const { languages } = form.values
  const language = languages.includes(chosen) ? chosen : (languages[0] ?? 'en')
  const shared = { form, mayChange }
  const failing = channel.checks.filter(({ state }) => state === 'failing')
  return (
    <div className="chat-set">
      <form {...form.form}>
        {!mayChange && (
          <div className="chat-set-note">
            <Note icon={Info}>{words.ownerOnly}</Note>
          </div>
        )}
        <Part title={words.put} says={words.putSays}>
          {failing.length > 0 && (
            <Checks
              checks={failing}
              {...(mayChange && { act: (check) => <CheckAct channelId={channel.id} check={check} /> })}
            />
          )}
          <TheLine line={channel.chat.line} />
          <SeenOn channel={channel} />
          <PagesField {...shared} />
          <LastRefused channel={channel} {...shared} />
        </Part>
        <Part title={words.look}>
          <Group mayChange={mayChange}>
            <Look form={form} />
          </Group>
        </Part>
        <Part title={words.words}>
          <Said {...{ ...shared, language }} onLanguage={setLanguage} />
        </Part>
        <Part title={words.when} says={words.whenSays}>
          <Group mayChange={mayChange}>
            <HoursField {...shared} />
            <Flag form={form} name="asksEmail" />
            <CampaignField form={form} />
          </Group>
        </Part>
        <Part title={words.who} says={words.whoSays}>
          <Group mayChange={mayChange}>
            <div className="chat-set-flags">
              <Flag form={form} name="tellsPage" />
              <Flag form={form} name="takesFiles" />
              <Flag form={form} name="showsNames" />
            </div>
            <Who form={form} />
          </Group>
          {form.values.members !== 'off' && <MembersSecret channel={channel} {...shared} />}
        </Part>
        <Part title={words.limits} says={words.limitsSays}>
          <Group mayChange={mayChange}>
            <Caps channel={channel} form={form} />
          </Group>
        </Part>
        <Part title={words.checks}>
          <Checks checks={channel.checks} />
        </Part>
        <SaveBar channel={channel} form={form} />
      </form>
      <Preview channel={channel} values={form.values} language={language} />
    </div>
  )
}

function Part({ title, says, children }: { title: string; says?: string; children: ReactNode }) {
  const id = useId()
  return (
    <section className="chat-set-part" aria-labelledby={id}>
      <div>
        <h2 className="h-section" id={id}>
          {title}
        </h2>
        {says && <p className="muted">{says}</p>}
      </div>
      {children}
    </section>
  )
}
