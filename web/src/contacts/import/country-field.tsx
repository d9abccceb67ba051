import { SelectField } from '../../ui/field.tsx'
import { importWords as words } from './words.ts'

/** The countries that have phone numbers of their own, by two letters each. */
const codes =
  'AC AD AE AF AG AI AL AM AO AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GT GU GW GY HK HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TA TC TD TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW'

const nameIn = new Intl.DisplayNames(undefined, { type: 'region' })
const countries = codes
  .split(' ')
  .map((code) => ({ code, name: nameIn.of(code) ?? code }))
  .toSorted((one, other) => one.name.localeCompare(other.name))

/** The country of this browser, which is most likely, first. */
const own = new Intl.Locale(navigator.language).maximize().region

export function CountryField({ value, onChange }: { value: string; onChange: (country: string | null) => void }) {
  const first = countries.filter(({ code }) => code === own)
  return (
    <SelectField
      label={words.country}
      hint={words.countryHint}
      value={value}
      onChange={(event) => onChange(event.target.value || null)}
    >
      <option value="">{words.noCountry}</option>
      {[...first, ...countries.filter(({ code }) => code !== own)].map(({ code, name }) => (
        <option key={code} value={code}>
          {name}
        </option>
      ))}
    </SelectField>
  )
}
