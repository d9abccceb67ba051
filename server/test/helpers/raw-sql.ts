import { tenantColumns } from '../../src/platform/database/tables.ts'

/**
 * The tables with rows of many accounts that a piece of raw SQL reads or writes without saying of which account. The
 * check reads the text: each query, subquery and CTE by itself must equate the account column of each such table with a
 * value, or with the account of something else that it reads. `isAccountFirst`: `$1` is the account.
 */
export function tablesWithoutAccount(text: string, { isAccountFirst = false } = {}): string[] {
  const sql = cleaned(text)
  return queriesIn(isAccountFirst ? sql.replace(/\$1\b/g, '$$accountId') : sql).flatMap(openTables)
}

/** Whether a text has a statement, or a part of one, that names such a table; or one whose table is put in at run time. */
export function namesTenantTable(text: string): boolean {
  const sql = cleaned(text)
  return tablesIn(sql).length > 0 || insertedInto(sql) !== undefined || hasUnknownTable(sql)
}

const columns: Readonly<Record<string, string>> = tenantColumns
const tenants = Object.keys(columns).join('|')

/** Without comments and strings, which could look like conditions. */
function cleaned(text: string): string {
  return text
    .replace(/--[^\n]*/g, ' ')
    .replace(/'(?:[^']|'')*'/g, "''")
    .replace(/\$\{([^{}]|\{[^{}]*\})*\}/g, (expression) => (/\baccountId\b/.test(expression) ? '$accountId' : '$value'))
    .replace(/\s+/g, ' ')
}

/** Splits at subqueries and unions: each query with what belongs to it alone. Other parentheses stay. */
function queriesIn(sql: string): string[] {
  const inner: string[] = []
  const own = withoutSubqueries(sql, inner)
  return [...own.split(/\b(?:union(?: all)?|except|intersect)\b/), ...inner.flatMap(queriesIn)]
}

function withoutSubqueries(sql: string, inner: string[]): string {
  let own = ''
  for (let at = 0; at < sql.length; ) {
    const end = /^\(\s*\(*\s*(select|with|insert|update|delete)\b/.test(sql.slice(at)) ? closingOf(sql, at) : -1
    if (end < 0) own += sql.charAt(at++)
    else {
      inner.push(sql.slice(at + 1, end))
      own += '()'
      at = end + 1
    }
  }
  return own
}

function closingOf(sql: string, open: number): number {
  let depth = 0
  for (let at = open; at < sql.length; at += 1) {
    if (sql.charAt(at) === '(') depth += 1
    if (sql.charAt(at) === ')') depth -= 1
    if (depth === 0) return at
  }
  return sql.length
}

type Named = { table: string; alias: string; column: string }

const notAliases =
  /^(set|where|on|using|join|left|right|inner|cross|full|order|group|limit|for|returning|values|union|offset|as)$/

function tablesIn(query: string): Named[] {
  const named = new RegExp(`\\b(?:from|join|update|using|only) (${tenants})\\b(?! ?[.(])(?: (?:as )?([a-z_]+))?`, 'g')
  const listed = new RegExp(`, ?(${tenants})\\b(?! ?[.(,])(?: (?:as )?([a-z_]+))?`, 'g')
  const lists = [
    ...query
      .replace(/\([^()]*\)/g, '()')
      .matchAll(/\bfrom (.*?)(?=\b(?:where|group by|order by|returning|limit|set)\b|$)/g),
  ]
  return [...query.matchAll(named), ...lists.flatMap(([, from = '']) => [...from.matchAll(listed)])].map(
    ([, table = '', alias = '']) => ({
      table,
      alias: alias === '' || notAliases.test(alias) ? table : alias,
      column: columns[table] ?? '',
    }),
  )
}

/** A table whose name is put in when the statement is made. */
function hasUnknownTable(query: string): boolean {
  return /\b(select|delete)\b.*(?<!distinct )\b(from|join) \$|\binsert into \$|\bupdate \$\w+ set\b/.test(query)
}

function insertedInto(query: string): { table: string; rest: string } | undefined {
  const [, table, rest = ''] = new RegExp(`\\binsert into (${tenants})\\b(.*)$`).exec(query) ?? []
  return table === undefined ? undefined : { table, rest }
}

function openTables(query: string): string[] {
  const inserted = insertedInto(query)
  return [
    ...(hasUnknownTable(query) ? ['a table that is put in at run time'] : []),
    ...(inserted && !insertsAccount(inserted) ? [inserted.table] : []),
    ...openSources(conditionsOf(query), tablesIn(query)),
  ]
}

/** Without the conditions that are joined by `or`: each of them need not hold. */
function conditionsOf(query: string): string {
  let text = query
  for (let before = ''; before !== text; ) {
    before = text
    text = text.replace(/\(([^()]*)\)/g, (_, inner: string) => (/\bor\b/.test(inner) ? '' : ` ${inner} `))
  }
  return text
    .replace(/ +/g, ' ')
    .replace(/\bcase\b.*?\bend\b/g, '')
    .replace(/\b(where|on)\b.*?(?=\b(where|join|left|cross|group by|order by|returning|limit)\b|$)/g, (condition) =>
      /\bor\b/.test(condition) ? '' : condition,
    )
}

/** The column list has the account, and a conflict can only be with a row of the same account. */
function insertsAccount({ table, rest }: { table: string; rest: string }): boolean {
  const column = columns[table] ?? ''
  const [, given = ''] = /^(?: as [a-z_]+)? ?\(([^)]*)\)/.exec(rest) ?? []
  const [, target] = /\bon conflict ?\(([^)]*)\)[^)]*?\bdo update\b/.exec(rest) ?? []
  const has = (list: string) => list.split(/, ?/).includes(column)
  return has(given) && (target === undefined ? !/\bdo update\b/.test(rest) : has(target))
}

function openSources(query: string, read: Named[]): string[] {
  const open = new Set(read)
  const names = new Map(read.map((one) => [one.alias, one]))
  let hasChanged = true
  while (hasChanged) {
    hasChanged = false
    for (const source of open) {
      if (!equalsIn(query, source, read).some((other) => isKnown(other, { open, names }))) continue
      open.delete(source)
      hasChanged = true
    }
  }
  return [...open].map(({ table }) => table)
}

/** What the account column of a table is equated with. */
function equalsIn(query: string, { alias, column }: Named, read: Named[]): string[] {
  // Without its table only where no other one could be meant.
  const self = `(?:${alias}\\.${column}${read.length === 1 ? `|(?<![.\\w"])${column}` : ''})`
  const other = '(\\$accountId|(?:\\$value|[a-z_]+)\\.[a-z_]+|(?:[a-z_]+\\.)?"accountId")'
  return [
    ...[...query.matchAll(new RegExp(`${self} = ${other}`, 'g'))].map(([, text = '']) => text),
    ...[...query.matchAll(new RegExp(`${other} = ${self}`, 'g'))].map(([, text = '']) => text),
  ]
}

type Progress = { open: Set<Named>; names: Map<string, Named> }

/** A value, a row that was given, or the account of a source that is known, or of one outside this query. */
function isKnown(other: string, { open, names }: Progress): boolean {
  if (other === '$accountId' || other.endsWith('"accountId"')) return true
  const [alias = '', column = ''] = other.split('.')
  const source = names.get(alias)
  if (source === undefined) return column === 'account_id' || column === 'id' // of an account: no other id equals one
  return column === source.column && !open.has(source)
}
