import {
  BinaryOperationNode,
  ColumnNode,
  type KyselyPlugin,
  type OperationNode,
  OperatorNode,
  RawNode,
  ReferenceNode,
  type RootOperationNode,
} from 'kysely'
import { checkAccounts } from '../../src/platform/database/account-check.ts'

/** Takes the conditions on the account out of every query, as if whoever wrote it had forgotten them. */
export const forgetAccounts: KyselyPlugin = {
  transformQuery: ({ node }) => withoutConditions(node, () => true),
  transformResult: async ({ result }) => result,
}

export const checkingAccounts: KyselyPlugin = {
  transformQuery: ({ node }) => {
    checkAccounts(node)
    return node
  },
  transformResult: async ({ result }) => result,
}

/** The query once for each of its conditions on an account, without that one. */
export function eachWithoutOne(query: RootOperationNode): RootOperationNode[] {
  let conditions = 0
  withoutConditions(query, () => {
    conditions += 1
    return false
  })
  return Array.from({ length: conditions }, (_, removed) => {
    let n = 0
    return withoutConditions(query, () => n++ === removed)
  })
}

/** The same tree, in which each condition on an account that `isRemoved` picks always holds. */
function withoutConditions<Node>(node: Node, isRemoved: () => boolean): Node {
  if (Array.isArray(node)) return node.map((one) => withoutConditions(one, isRemoved)) as Node
  if (typeof node !== 'object' || node === null || !('kind' in node)) return node
  if (isAccountCondition(node as unknown as OperationNode) && isRemoved()) return RawNode.createWithSql('true') as Node
  const parts = Object.entries(node).map(([name, part]) => [name, withoutConditions(part, isRemoved)])
  return Object.fromEntries(parts)
}

function isAccountCondition(node: OperationNode): boolean {
  if (!BinaryOperationNode.is(node) || !OperatorNode.is(node.operator) || node.operator.operator !== '=') return false
  return [node.leftOperand, node.rightOperand].some((operand) => nameOf(operand) === 'account_id')
}

function nameOf(node: OperationNode): string | undefined {
  if (ReferenceNode.is(node)) return nameOf(node.column)
  return ColumnNode.is(node) ? node.column.name : undefined
}
