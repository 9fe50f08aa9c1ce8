import { isEventSeriesName } from './ownData.ts'
import { type FormulaNode, precedence } from './tree.ts'

const bareNamePattern = /^[\p{L}_][\p{L}\p{N}_.]*$/u
const keywords = new Set(['and', 'or', 'not'])
const PRIMARY_LEVEL = 9

/** Prints a formula in canonical form, with no more parentheses than needed. */
export function printFormula(node: FormulaNode): string {
  return printNode(node, 0)
}

/** Prints a series name, quoted if necessary. */
export const printName = (name: string): string =>
  (bareNamePattern.test(name) && !keywords.has(name)) || isEventSeriesName(name)
    ? name
    : `"${name.replace(/["\\]/g, '\\$&')}"`

function printNode(node: FormulaNode, minLevel: number): string {
  const [level, text] = levelAndText(node)
  return level < minLevel ? `(${text})` : text
}

function levelAndText(node: FormulaNode): [level: number, text: string] {
  switch (node.kind) {
    case 'number':
      return [PRIMARY_LEVEL, String(node.value)]
    case 'text':
      return [PRIMARY_LEVEL, `'${node.value}'`]
    case 'series':
      return [PRIMARY_LEVEL, printName(node.name)]
    case 'call':
      return [PRIMARY_LEVEL, `${node.name}(${node.args.map((arg) => printNode(arg, 0)).join(', ')})`]
    case 'unary': {
      const level = node.operator === 'not' ? precedence.not : precedence.minus
      return [level, `${node.operator === 'not' ? 'not ' : '-'}${printNode(node.operand, level)}`]
    }
    case 'binary': {
      const level = precedence[node.operator]
      if (node.operator === '^')
        return [level, `${printNode(node.left, PRIMARY_LEVEL)} ^ ${printNode(node.right, level - 1)}`]
      const isChainable = level !== precedence['<']
      const left = printNode(node.left, isChainable ? level : level + 1)
      return [level, `${left} ${node.operator} ${printNode(node.right, level + 1)}`]
    }
  }
}
