import { FormulaError } from './formulaError.ts'
import { childrenOf, type FormulaNode, withChildren } from './tree.ts'

/** Maximum number of distinct operations, series and constants in one formula. */
export const MAX_NODES = 2000

/**
 * Turns the tree of a formula into a graph: equal parts become one node, so that each is computed once.
 * @throws FormulaError if more than `MAX_NODES` remain
 */
export function shareNodes(tree: FormulaNode): FormulaNode {
  const ids = new Map<FormulaNode, number>()
  const nodeByKey = new Map<string, FormulaNode>()

  function shareNode(node: FormulaNode): FormulaNode {
    if (ids.has(node)) return node
    const rebuilt = withChildren(node, childrenOf(node).map(shareNode))
    const key = keyOf(
      rebuilt,
      childrenOf(rebuilt).map((child) => ids.get(child)),
    )
    const known = nodeByKey.get(key)
    if (known) return known
    if (ids.size >= MAX_NODES)
      throw new FormulaError(`A formula may have at most ${MAX_NODES} different operations and values.`, node)
    nodeByKey.set(key, rebuilt)
    ids.set(rebuilt, ids.size)
    return rebuilt
  }
  return shareNode(tree)
}

/** Counts the references to each node of a graph, so that a result can be dropped after its last use. */
export function usesOf(graph: FormulaNode): Map<FormulaNode, number> {
  const uses = new Map<FormulaNode, number>()
  const visit = (node: FormulaNode) => {
    const usesSoFar = uses.get(node) ?? 0
    uses.set(node, usesSoFar + 1)
    if (usesSoFar === 0) childrenOf(node).forEach(visit)
  }
  visit(graph)
  return uses
}

function keyOf(node: FormulaNode, children: readonly (number | undefined)[]): string {
  const childKeys = children.join(',')
  switch (node.kind) {
    case 'number':
      return `number ${Object.is(node.value, -0) ? '-0' : node.value}`
    case 'text':
    case 'series':
      return `${node.kind} ${node.kind === 'text' ? node.value : node.name}`
    case 'call':
      return `call ${node.name} ${childKeys}`
    default:
      return `${node.kind} ${node.operator} ${childKeys}`
  }
}
