export const binaryOperators = ['or', 'and', '<', '<=', '>', '>=', '==', '!=', '+', '-', '*', '/', '%', '^'] as const

export type BinaryOperator = (typeof binaryOperators)[number]
export type UnaryOperator = '-' | 'not'

/** Half-open range of offsets in the text of a formula. */
export interface TextRange {
  start: number
  end: number
}

type NodeFields =
  | { kind: 'number'; value: number }
  | { kind: 'text'; value: string }
  | { kind: 'series'; name: string }
  | { kind: 'call'; name: string; args: FormulaNode[] }
  | { kind: 'unary'; operator: UnaryOperator; operand: FormulaNode }
  | { kind: 'binary'; operator: BinaryOperator; left: FormulaNode; right: FormulaNode }

export type FormulaNode = NodeFields & TextRange

/** Precedence of the operators: a higher number binds tighter. */
export const precedence: Record<BinaryOperator | 'not' | 'minus', number> = {
  or: 1,
  and: 2,
  not: 3,
  '<': 4,
  '<=': 4,
  '>': 4,
  '>=': 4,
  '==': 4,
  '!=': 4,
  '+': 5,
  '-': 5,
  '*': 6,
  '/': 6,
  '%': 6,
  minus: 7,
  '^': 8,
}

export const isComparison = (operator: BinaryOperator): boolean => precedence[operator] === 4

export function childrenOf(node: FormulaNode): FormulaNode[] {
  if (node.kind === 'call') return node.args
  if (node.kind === 'unary') return [node.operand]
  return node.kind === 'binary' ? [node.left, node.right] : []
}

/** Copies a node with other children, equal in number. */
export function withChildren(node: FormulaNode, children: FormulaNode[]): FormulaNode {
  if (node.kind === 'call') return { ...node, args: children }
  if (node.kind === 'unary') return { ...node, operand: children[0] }
  return node.kind === 'binary' ? { ...node, left: children[0], right: children[1] } : node
}

/** Lists the series that a formula reads, each once, in order of first mention. */
export function seriesNamesOf(node: FormulaNode): string[] {
  const names = new Set<string>()
  const visit = (part: FormulaNode) => {
    if (part.kind === 'series') names.add(part.name)
    childrenOf(part).forEach(visit)
  }
  visit(node)
  return [...names]
}
