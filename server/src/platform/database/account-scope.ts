import {
  AliasNode,
  AndNode,
  BinaryOperationNode,
  ColumnNode,
  IdentifierNode,
  type OperationNode,
  OperatorNode,
  ParensNode,
  ReferenceNode,
  TableNode,
  ValueNode,
} from 'kysely'

/** A table, subquery or CTE that a query reads. */
export type Source = {
  /** The name that the query uses for it. */
  name: string
  /** A table that has rows of many accounts; undefined for others, and for subqueries and CTEs, which are checked themselves. */
  tenantTable: string | undefined
  /** The column that names the account. */
  column: string | undefined
  /** All rows read from it belong to one account that the query names. */
  isFixed: boolean
}

/** What the names in a query refer to. A subquery also sees the sources of the query around it. */
export class Scope {
  readonly outer: Scope | undefined
  /** CTEs by name: whether the column `account_id` of the result is that of the one account. */
  readonly #ctes = new Map<string, boolean>()
  sources: readonly Source[] = []

  constructor(outer?: Scope) {
    this.outer = outer
  }

  addCte(name: string, isFixed: boolean): void {
    this.#ctes.set(name, isFixed)
  }

  findCte(name: string): boolean | undefined {
    return this.#ctes.get(name) ?? this.outer?.findCte(name)
  }

  /** The source whose account column this is. A column without a table is looked for in this query only. */
  sourceOf(node: OperationNode): Source | undefined {
    const column = columnOf(node)
    if (column === undefined) return undefined
    const table = ReferenceNode.is(node) && node.table ? nameOf(node.table) : undefined
    const source = table === undefined ? this.#onlyWith(column) : this.named(table)
    return source?.column === column ? source : undefined
  }

  named(name: string): Source | undefined {
    return this.sources.find((source) => source.name === name) ?? this.outer?.named(name)
  }

  /** PostgreSQL refuses a name that several sources have, so a subquery without the column does no harm here. */
  #onlyWith(column: string): Source | undefined {
    if (this.sources.length === 1) return this.sources[0]
    const tables = this.sources.filter((source) => source.column === column && source.tenantTable !== undefined)
    return tables.length === 1 && column !== 'id' ? tables[0] : undefined
  }

  /** Marks the sources whose account follows from these conditions, all of which hold for every row. */
  fix(facts: readonly Fact[]): void {
    let hasChanged = true
    while (hasChanged) {
      hasChanged = false
      for (const { source, from } of facts) {
        if (source.isFixed || !(from === 'value' || from.isFixed)) continue
        source.isFixed = true
        hasChanged = true
      }
    }
  }
}

/** The account of a source equals a value, or the account of another source. */
export type Fact = { source: Source; from: Source | 'value' }

/** What the parts of a condition that are joined by `and` say about accounts. */
export function factsIn(condition: OperationNode | undefined, scope: Scope): Fact[] {
  if (condition === undefined) return []
  if (ParensNode.is(condition)) return factsIn(condition.node, scope)
  if (AndNode.is(condition)) return [...factsIn(condition.left, scope), ...factsIn(condition.right, scope)]
  if (!BinaryOperationNode.is(condition) || !isEquals(condition.operator)) return []
  const { leftOperand, rightOperand } = condition
  const [left, right] = [scope.sourceOf(leftOperand), scope.sourceOf(rightOperand)]
  if (left && right) {
    return [
      { source: left, from: right },
      { source: right, from: left },
    ]
  }
  if (left && ValueNode.is(rightOperand)) return [{ source: left, from: 'value' }]
  return right && ValueNode.is(leftOperand) ? [{ source: right, from: 'value' }] : []
}

function isEquals(operator: OperationNode): boolean {
  return OperatorNode.is(operator) && operator.operator === '='
}

/** The name of a column, with or without its table. */
export function columnOf(node: OperationNode): string | undefined {
  if (ReferenceNode.is(node)) return columnOf(node.column)
  return ColumnNode.is(node) ? node.column.name : undefined
}

/** The name by which a query refers to a table or subquery. */
export function nameOf(node: OperationNode): string | undefined {
  if (AliasNode.is(node)) return IdentifierNode.is(node.alias) ? node.alias.name : undefined
  return TableNode.is(node) ? node.table.identifier.name : undefined
}
