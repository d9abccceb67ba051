/** What a field for a time zone offers: `list={timeZones}`. */
export const timeZones = 'time-zones'

export function TimeZones() {
  const names = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')]
  return (
    <datalist id={timeZones}>
      {names.map((name) => (
        <option key={name} value={name} />
      ))}
    </datalist>
  )
}
