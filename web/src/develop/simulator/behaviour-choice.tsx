import { type Behaviour, behaviours } from '@patchbay/contract/simulated-receiver.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../data/api.ts'
import { read } from '../../data/queries.ts'
import { Field } from '../../ui/field.tsx'
import { simulatorWords as words } from './words.ts'

/** How the simulated receiver answers: for a number of posts, then with 200 again. */
export function BehaviourChoice({ behaviour, left }: { behaviour: Behaviour; left: number | null }) {
  const client = useQueryClient()
  const [times, setTimes] = useState('2')
  const save = useMutation({
    mutationFn: (chosen: Behaviour) =>
      call('PUT /api/simulator/behaviour', {
        body: { behaviour: chosen, ...(isCount(times) && { times: Number(times) }) },
      }),
    onSuccess: (state) => client.setQueryData(read('GET /api/simulator').queryKey, state),
  })
  return (
    <div className="stack">
      <h2 className="h-section">{words.behaves}</h2>
      <fieldset className="behaviours" disabled={save.isPending}>
        <legend className="sr">{words.behaves}</legend>
        {behaviours.map((each) => {
          const [title, says] = words.behaviours[each]
          const isOn = each === (save.isPending ? save.variables : behaviour)
          return (
            <label key={each} className={isOn && each !== 'ok' ? 'behaviours-on' : undefined}>
              <input
                type="radio"
                name="behaviour"
                className="check"
                checked={isOn}
                onChange={() => save.mutate(each)}
              />
              <span>
                {title}
                {says && <span className="small muted behaviours-block">{says}</span>}
                {isOn && left !== null && <span className="small muted behaviours-block">{words.left(left)}</span>}
              </span>
            </label>
          )
        })}
      </fieldset>
      <Field
        label={words.forTheNext}
        aside={<span className="small muted">{words.posts}</span>}
        inputMode="numeric"
        value={times}
        error={times === '' || isCount(times) ? undefined : '1–1000'}
        onChange={(event) => setTimes(event.target.value)}
      />
    </div>
  )
}

const isCount = (text: string) => /^[1-9][0-9]{0,2}$|^1000$/.test(text)
