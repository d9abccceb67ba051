/** The name of the contact `p` in SQL; null when it has none. */
const fullName = (p: string) => `nullif(trim(concat_ws(' ', ${p}.first_name, ${p}.last_name)), '')`

/** What a visitor of a website is called by how they are known there: an address of a browser is a hash, a customer's is made one. */
const visitor = (kind: string, address: string) => `'Visitor ' || upper(left(
    case ${kind} when 'browser' then ${address} else encode(sha256(convert_to(${address}, 'UTF8')), 'hex') end, 4
  ))`

/**
 * What the contact `p` is called in SQL: their name, and of a visitor of a website whom nothing else names `Visitor 4F2A`, always the
 * same. Null when there is nothing to call them.
 */
export const shownName = (
  p: string,
) => `coalesce(${fullName(p)}, case when ${p}.phone is null and ${p}.external_id is null then (
    select ${visitor('d.kind', 'd.address')} from contact_addresses d
    where d.account_id = ${p}.account_id and d.contact_id = ${p}.id and d.kind in ('browser', 'member')
    order by d.created_at, d.address limit 1
  ) end)`

/** How a contact is known on the channel of the row `h` of `contact_channels`, in SQL: `@ana`, an id, `Visitor 4F2A`. */
export const shownAddress = (h: string) => `coalesce(
    '@' || ${h}.username, case ${h}.address_kind when 'browser' then ${visitor(`'browser'`, `${h}.address`)} else ${h}.address end
  )`
