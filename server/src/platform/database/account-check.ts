/*
 * A second wall between accounts: a query made with the query builder must name the account in every table that has
 * rows of many. It runs for each query before it is sent, and throws. Raw SQL is reviewed by a test instead:
 * `server/test/architecture/raw-sql.test.ts`.
 */

import {
  AliasNode,
  DeleteQueryNode,
  InsertQueryNode,
  type JoinNode,
  ListNode,
  MergeQueryNode,
  type OperationNode,
  PrimitiveValueListNode,
  RawNode,
  ReferenceNode,
  SelectAllNode,
  type SelectionNode,
  SelectQueryNode,
  TableNode,
  UpdateQueryNode,
  ValueNode,
  ValuesNode,
} from 'kysely'
import { columnOf, type Fact, factsIn, nameOf, Scope, type Source } from './account-scope.ts'
import { tenantColumns } from './tables.ts'

/** Throws when the statement could read or write rows of an account that it does not name. */
export function checkAccounts(statement: OperationNode): void {
  checkNested(statement, undefined)
}

/** Checks all queries in a part of a statement. */
function checkNested(part: unknown, scope: Scope | undefined): void {
  if (typeof part !== 'object' || part === null) return
  if (Array.isArray(part)) {
    for (const one of part) checkNested(one, scope)
    return
  }
  const node = part as OperationNode // every object in a node is a node, except values, which are left out below
  if (leaves.has(node.kind)) return
  if (isQuery(node)) return void checkQuery(node, scope)
  if (RawNode.is(node)) checkRaw(node)
  for (const child of Object.values(node)) checkNested(child, scope)
}

/** Nodes without queries in them; those with values among them must not be searched. */
const leaves: ReadonlySet<string> = new Set([
  'ColumnNode',
  'IdentifierNode',
  'OperatorNode',
  'PrimitiveValueListNode',
  'ReferenceNode',
  'SchemableIdentifierNode',
  'SelectAllNode',
  'TableNode',
  'ValueNode',
])

type Query = SelectQueryNode | UpdateQueryNode | DeleteQueryNode | InsertQueryNode

function isQuery(node: OperationNode): node is Query {
  if (MergeQueryNode.is(node)) throw new Error('a merge cannot be checked for its account: write insert … on conflict')
  return SelectQueryNode.is(node) || UpdateQueryNode.is(node) || DeleteQueryNode.is(node) || InsertQueryNode.is(node)
}

function checkRaw({ parameters }: RawNode): void {
  const table = parameters.find((node) => TableNode.is(node) && tenantColumnOf(node) !== undefined)
  if (table)
    throw new Error(`${nameOf(table)} is named by sql.table: write the name into the SQL, where it is reviewed`)
}

/** Returns the scope, in which the account columns of what the query returns can be looked up. */
function checkQuery(query: Query, outer: Scope | undefined): Scope {
  const scope = new Scope(outer)
  for (const { name, expression } of query.with?.expressions ?? []) {
    // A column list gives other names to what the query returns.
    const isFixed = returnsAccount(expression, scope) && name.columns === undefined
    scope.addCte(name.table.table.identifier.name, isFixed)
  }
  if (InsertQueryNode.is(query)) checkInsert(query, scope)
  else checkSources(query, scope)
  return scope
}

function checkSources(query: Exclude<Query, InsertQueryNode>, scope: Scope): void {
  const { joins = [] } = query
  // All of them before the first is in scope: only a lateral subquery sees the tables beside it.
  const read = itemsOf(query).map((item) => sourceFor(item, scope))
  const joined = joins.map((join) => ({ join, source: sourceFor(join.table, scope, isLateral(join)) }))
  scope.sources = [...read, ...joined.map(({ source }) => source)]
  scope.fix([
    ...factsIn(query.where?.where, scope),
    ...joined.flatMap(({ join, source }) => factsOf(join, source, scope)),
  ])
  const open = scope.sources.find(({ tenantTable, isFixed }) => tenantTable !== undefined && !isFixed)
  if (open)
    throw new Error(`a query on ${open.tenantTable} (${open.name}) does not say which ${open.column}: ${advice}`)
  if (UpdateQueryNode.is(query)) checkUpdates(query.updates, scope.sources[0])
  for (const join of joins) checkNested(isLateral(join) ? [join.table, join.on] : join.on, scope)
  for (const [name, part] of Object.entries(query)) if (!checkedBefore.has(name)) checkNested(part, scope)
}

/** The parts of a query that name its sources. */
const checkedBefore: ReadonlySet<string> = new Set(['with', 'table', 'from', 'using', 'joins'])

const advice = 'add a condition that fixes it, or use acrossAccounts(db) and write down why'

function itemsOf(query: Exclude<Query, InsertQueryNode>): readonly OperationNode[] {
  if (SelectQueryNode.is(query)) return query.from?.froms ?? []
  if (DeleteQueryNode.is(query)) return [...query.from.froms, ...(query.using?.tables ?? [])]
  const { table, from } = query
  if (table && ListNode.is(table)) throw new Error('an update of several tables cannot be checked for its account')
  return [...(table ? [table] : []), ...(from?.froms ?? [])]
}

function sourceFor(item: OperationNode, scope: Scope, isLateral = false): Source {
  const name = nameOf(item) ?? ''
  const node = AliasNode.is(item) ? item.node : item
  if (TableNode.is(node)) {
    const cte = node.table.schema ? undefined : scope.findCte(node.table.identifier.name)
    if (cte !== undefined) return { name, tenantTable: undefined, column: 'account_id', isFixed: cte }
    const column = tenantColumnOf(node)
    const table = node.table.identifier.name
    return { name, tenantTable: column && table, column, isFixed: false }
  }
  const isFixed = !isLateral && returnsAccount(node, scope) // a lateral one is checked once all tables are in scope
  return { name, tenantTable: undefined, column: 'account_id', isFixed }
}

const columns: Readonly<Record<string, string>> = tenantColumns

function tenantColumnOf(table: TableNode): string | undefined {
  return columns[table.table.identifier.name]
}

function isLateral({ joinType }: JoinNode): boolean {
  return joinType.startsWith('Lateral')
}

/** The condition of an outer join limits only the side that may be missing. */
function factsOf({ joinType, on }: JoinNode, joined: Source, scope: Scope): Fact[] {
  const facts = factsIn(on?.on, scope)
  if (joinType === 'InnerJoin' || joinType === 'LateralInnerJoin') return facts
  if (joinType === 'LeftJoin' || joinType === 'LateralLeftJoin') return facts.filter(({ source }) => source === joined)
  return joinType === 'RightJoin' ? facts.filter(({ source }) => source !== joined) : []
}

/** Checks a subquery or CTE; whether its column `account_id` is that of the one account. */
function returnsAccount(node: OperationNode, outer: Scope): boolean {
  if (!isQuery(node)) {
    checkNested(node, outer)
    return false
  }
  const scope = checkQuery(node, outer)
  if (SelectQueryNode.is(node)) {
    return !node.setOperations && !!node.selections?.some((one) => isAccountId(one, scope))
  }
  return !!node.returning?.selections.some((one) => isAccountId(one, scope))
}

function isAccountId({ selection }: SelectionNode, scope: Scope): boolean {
  if (AliasNode.is(selection)) return nameOf(selection) === 'account_id' && namesAccount(selection.node, scope)
  if (SelectAllNode.is(selection)) return scope.sources.length === 1 && isFixedHere(scope.sources[0])
  if (ReferenceNode.is(selection) && SelectAllNode.is(selection.column)) {
    return isFixedHere(scope.sources.find(({ name }) => selection.table && name === nameOf(selection.table)))
  }
  return columnOf(selection) === 'account_id' && namesAccount(selection, scope)
}

function isFixedHere(source: Source | undefined): boolean {
  return source !== undefined && source.column === 'account_id' && source.isFixed
}

/** Whether an expression is the one account: its value, or the account column of a table that is fixed to it. */
function namesAccount(node: OperationNode | undefined, scope: Scope): boolean {
  if (node === undefined) return false
  if (ValueNode.is(node)) return node.value !== null && node.value !== undefined
  return scope.sourceOf(node)?.isFixed ?? false
}

function checkInsert(insert: InsertQueryNode, scope: Scope): void {
  const { into, columns: given = [], values, onConflict, returning } = insert
  const column = into && tenantColumnOf(into)
  const table = (into && nameOf(into)) ?? ''
  if (
    column !== undefined &&
    !givesAccount(values, { index: given.findIndex((one) => columnOf(one) === column), scope })
  ) {
    throw new Error(`${table}: an insert does not give ${column} in every row: ${advice}`)
  }
  if (column === undefined) checkNested(values, scope)
  const target: Source = { name: table, tenantTable: column && table, column, isFixed: false }
  scope.sources = [target, { name: 'excluded', tenantTable: undefined, column, isFixed: true }]
  if (onConflict?.updates && column !== undefined) {
    if (onConflict.columns?.some((one) => columnOf(one) === column)) target.isFixed = true
    scope.fix(factsIn(onConflict.updateWhere?.where, scope))
    if (!target.isFixed) throw new Error(`a conflict in ${table} could update another account's row: ${advice}`)
    checkUpdates(onConflict.updates, target)
  }
  target.isFixed = true
  checkNested([onConflict, returning], scope)
}

/** Whether every row to insert has the account in this column. */
function givesAccount(values: OperationNode | undefined, { index, scope }: { index: number; scope: Scope }): boolean {
  if (values === undefined || index < 0) return false
  if (ValuesNode.is(values)) {
    checkNested(values.values, scope)
    return values.values.every((row) => {
      if (PrimitiveValueListNode.is(row)) return row.values[index] !== null && row.values[index] !== undefined
      return namesAccount(row.values[index], scope)
    })
  }
  if (!SelectQueryNode.is(values)) return false
  const selected = checkQuery(values, scope)
  const node = values.setOperations ? undefined : values.selections?.[index]?.selection
  return namesAccount(node && AliasNode.is(node) ? node.node : node, selected)
}

/** No update moves a row to another account. */
function checkUpdates(updates: UpdateQueryNode['updates'], target: Source | undefined): void {
  const column = target?.tenantTable && target.column
  if (column === undefined || !updates?.some((update) => columnOf(update.column) === column)) return
  throw new Error(`an update of ${target?.tenantTable} sets ${column}: a row stays in its account`)
}
