import './check.css'
import './choices.css'
import { useId } from 'react'

type Props<Value extends string> = {
  legend: string
  name: string
  value: Value
  onChoose: (value: Value) => void
  choices: readonly { value: Value; title: string; says: string }[]
}

/** One of a few, each with a sentence that says what it means. */
export function Choices<Value extends string>({ legend, name, value, onChoose, choices }: Props<Value>) {
  const id = useId()
  return (
    <fieldset className="radio-list">
      <legend className="label">{legend}</legend>
      {choices.map((choice) => (
        <div className="radio-list-one" key={choice.value}>
          <input
            type="radio"
            className="check"
            id={`${id}-${choice.value}`}
            name={`${id}-${name}`}
            checked={choice.value === value}
            aria-describedby={`${id}-${choice.value}-about`}
            onChange={() => onChoose(choice.value)}
          />
          <label htmlFor={`${id}-${choice.value}`}>{choice.title}</label>
          <span className="hint" id={`${id}-${choice.value}-about`}>
            {choice.says}
          </span>
        </div>
      ))}
    </fieldset>
  )
}
