/**
 * Finds every mutation that the rules allow in a source file, and samples some of them by a seed. A mutation is drawn
 * by a hash of itself and its line of code, so moving a file changes nothing, and changing a line hardly affects the
 * other lines.
 */
import { createHash } from 'node:crypto'
import ts from 'typescript'

const { SyntaxKind } = ts

const replacementByOperator = new Map([
  ['+', '-'],
  ['-', '+'],
  ['*', '/'],
  ['/', '*'],
  ['%', '*'],
  ['**', '*'],
  ['<', '<='],
  ['<=', '<'],
  ['>', '>='],
  ['>=', '>'],
  ['===', '!=='],
  ['!==', '==='],
  ['&&', '||'],
  ['||', '&&'],
  ['&', '|'],
  ['|', '&'],
  ['<<', '>>'],
  ['>>', '<<'],
  ['>>>', '<<'],
  ['+=', '-='],
  ['-=', '+='],
  ['*=', '/='],
  ['/=', '*='],
])

const comparisons = new Set([SyntaxKind.EqualsEqualsEqualsToken, SyntaxKind.ExclamationEqualsEqualsToken])

/**
 * @typedef {object} Mutation
 * @property {number} start offset in the source @property {number} end offset in the source
 * @property {string} replacement @property {'operator' | 'constant' | 'condition' | 'statement'} rule
 * @property {string} code the trimmed line of the source @property {number} line counted from 1
 * @property {string} original the source between the offsets @property {number} probe offset at which a probe may be
 * inserted, or −1
 * @property {boolean} isExpressionBody whether the code at the probe is the expression body of an arrow function, where
 * a probe must be an expression
 * @property {number} probeEnd offset at which the statement or expression at the probe ends
 */

/** Lists the mutations of one node: for each its rule, its range and its replacement. */
function mutationsOf(node, source) {
  const start = node.getStart(source)
  const range = { start, end: node.getEnd() }
  const found = []
  if (ts.isBinaryExpression(node)) {
    const operatorText = node.operatorToken.getText(source)
    const otherOperator = replacementByOperator.get(operatorText)
    const isText = [node.left, node.right].some((side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side))
    const operatorTokenRange = { start: node.operatorToken.getStart(source), end: node.operatorToken.getEnd() }
    // JavaScript does not parse a mixture of ?? and && without parentheses.
    if (operatorText === '??')
      found.push(['operator', range, `(${node.left.getText(source)} && ${node.right.getText(source)})`])
    else if (otherOperator && !(operatorText.startsWith('+') && isText))
      found.push(['operator', operatorTokenRange, otherOperator])
  }
  if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) found.push(...unaryMutations(node, source))
  found.push(...constantMutations(node, range))
  if ((ts.isIfStatement(node) || ts.isWhileStatement(node)) && !isLiteral(node.expression))
    found.push(...conditionMutations(node.expression, source, ts.isIfStatement(node)))
  if (ts.isConditionalExpression(node)) found.push(...conditionMutations(node.condition, source, true))
  if (isRemovable(node)) found.push(['statement', range, isStatementList(node.parent) ? ';' : '{}'])
  return found
}

function unaryMutations(node, source) {
  const { operator, operand } = node
  const operatorRange = ts.isPrefixUnaryExpression(node)
    ? { start: node.getStart(source), end: operand.getStart(source) }
    : { start: operand.getEnd(), end: node.getEnd() }
  if (operator === SyntaxKind.PlusPlusToken) return [['operator', operatorRange, '--']]
  if (operator === SyntaxKind.MinusMinusToken) return [['operator', operatorRange, '++']]
  // In “!!x”, which only converts x to a boolean, neither “!” is removed.
  if (operator === SyntaxKind.ExclamationToken && !isNegation(operand) && !isNegation(node.parent))
    return [['operator', operatorRange, '']]
  if (operator === SyntaxKind.MinusToken) return [['operator', operatorRange, '+']]
  return []
}

const isNegation = (node) => ts.isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken
const isLiteral = (node) => [SyntaxKind.TrueKeyword, SyntaxKind.FalseKeyword].includes(node.kind)
/** Tells whether a node is a list of statements: a block, a source file or a branch of a switch. */
const isStatementList = (node) => ts.isBlock(node) || ts.isSourceFile(node) || ts.isCaseOrDefaultClause(node)

function constantMutations(node, range) {
  if (ts.isNumericLiteral(node)) return [['constant', range, String(Number(node.text.replaceAll('_', '')) + 1)]]
  if (ts.isBigIntLiteral(node)) return [['constant', range, `${BigInt(node.text.slice(0, -1)) + 1n}n`]]
  if (node.kind === SyntaxKind.TrueKeyword) return [['constant', range, 'false']]
  if (node.kind === SyntaxKind.FalseKeyword) return [['constant', range, 'true']]
  const isCompared =
    ts.isStringLiteralLike(node) &&
    ((ts.isBinaryExpression(node.parent) && comparisons.has(node.parent.operatorToken.kind)) ||
      ts.isCaseClause(node.parent))
  return isCompared ? [['constant', range, JSON.stringify(`${node.text}~`)]] : []
}

function conditionMutations(condition, source, canBeTrue) {
  const range = { start: condition.getStart(source), end: condition.getEnd() }
  const neverMutation = ['condition', range, 'false']
  return canBeTrue ? [['condition', range, 'true'], neverMutation] : [neverMutation]
}

function isRemovable(node) {
  if (ts.isThrowStatement(node) || ts.isBreakOrContinueStatement(node)) return true
  if (ts.isReturnStatement(node)) return node.expression === undefined
  if (!ts.isExpressionStatement(node)) return false
  const { expression } = node
  const isSuper = ts.isCallExpression(expression) && expression.expression.kind === SyntaxKind.SuperKeyword
  return !isSuper && !ts.isStringLiteral(expression)
}

/** Tells whether a node is code that does not run: a type, an import or a re-export. */
function isSkipped(node) {
  return (
    ts.isTypeNode(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isImportDeclaration(node) ||
    ts.isExportDeclaration(node)
  )
}

/** Finds the position for a probe, which reports that the code of this node was reached. */
function probeOf(node, source) {
  for (let at = node; at.parent; at = at.parent) {
    const { parent } = at
    if (ts.isArrowFunction(parent) && parent.body === at && !ts.isBlock(at))
      return { probe: at.getStart(source), probeEnd: at.getEnd(), isExpressionBody: true }
    if (isStatementList(parent)) {
      if (ts.isCaseClause(parent) && parent.expression === at) continue
      return { probe: at.getStart(source), probeEnd: at.getEnd(), isExpressionBody: false }
    }
  }
  return { probe: -1, probeEnd: -1, isExpressionBody: false }
}

/** Lists every mutation of a source. */
export function findMutations(text, fileName = 'source.ts') {
  const source = ts.createSourceFile(fileName, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS)
  const lines = text.split('\n')
  const found = []
  const visit = (node) => {
    if (isSkipped(node)) return
    for (const [rule, { start, end }, replacement] of mutationsOf(node, source)) {
      const line = source.getLineAndCharacterOfPosition(start).line
      const original = text.slice(start, end)
      const code = lines[line].trim()
      found.push({ start, end, replacement, rule, line: line + 1, code, original, ...probeOf(node, source) })
    }
    // A number that names a property is not a constant; only the property's value may change.
    ts.forEachChild(node, (child) => {
      if (ts.isPropertyAssignment(node) && child === node.name) return
      visit(child)
    })
  }
  visit(source)
  return found
}

/** Replacements that remove a statement or an operator. */
const removingReplacements = new Set(['', ';', '{}'])

/** Names a mutation by its code rather than its line number, so that the name stays valid when the line moves. */
const nameOf = ({ code, original, replacement, repeat }) =>
  `${code} ⟶ ${oneLine(original)} → ${removingReplacements.has(replacement) ? '(removed)' : oneLine(replacement)}${repeat > 0 ? ` (${repeat + 1})` : ''}`

const oneLine = (text) => {
  const flat = text.replaceAll(/\s+/g, ' ')
  return flat.length > 60 ? `${flat.slice(0, 57)}…` : flat
}

/**
 * Samples `count` mutations from all files of a folder: those with the smallest hashes of seed and name.
 * @param {{ path: string, text: string }[]} files
 * @returns {(Mutation & { path: string, name: string })[]} sorted by path and position
 */
export function drawMutants(files, count, seed) {
  const namedMutants = files.flatMap(({ path, text }) => {
    const countByName = new Map()
    return findMutations(text, path).map((mutation) => {
      // Mutations that look the same (twice in a line, or in equal lines) are numbered, so that their names differ.
      const plain = nameOf(mutation)
      const repeat = countByName.get(plain) ?? 0
      countByName.set(plain, repeat + 1)
      return { ...mutation, path, name: nameOf({ ...mutation, repeat }) }
    })
  })
  const keyedMutants = namedMutants.map((mutant) => ({ mutant, key: hash(`${seed}\0${mutant.name}`) }))
  keyedMutants.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.mutant.path < b.mutant.path ? -1 : 1))
  const drawnMutants = keyedMutants.slice(0, count).map(({ mutant }) => mutant)
  return drawnMutants.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.start - b.start))
}

const hash = (text) => createHash('sha256').update(text).digest('hex')

/** Returns the source with the mutation applied. */
export const mutate = (text, { start, end, replacement }) => text.slice(0, start) + replacement + text.slice(end)

/**
 * Returns the source with a probe for each mutation: a call of `globalThis.__reached(id)`.
 * @param {(Mutation & { id: number })[]} mutants
 */
export function addProbes(text, mutants) {
  const insertions = []
  const statements = new Map()
  for (const { probe, probeEnd, isExpressionBody, id } of mutants) {
    if (probe < 0) continue
    const key = `${probe}:${probeEnd}:${isExpressionBody}`
    const entry = statements.get(key) ?? { probe, probeEnd, isExpressionBody, ids: [] }
    entry.ids.push(id)
    statements.set(key, entry)
  }
  for (const { probe, probeEnd, isExpressionBody, ids } of statements.values()) {
    const calls = ids.map((id) => `globalThis.__reached?.(${id})`)
    if (!isExpressionBody) insertions.push({ at: probe, text: `${calls.join(';')};`, order: 0 })
    else {
      insertions.push({ at: probe, text: `(${calls.join(',')},`, order: 0 })
      insertions.push({ at: probeEnd, text: ')', order: 1 })
    }
  }
  // Text is inserted from the end of the source, so that earlier offsets stay valid. At a shared offset the opening
  // text is inserted first, so that it ends up after the closing text.
  insertions.sort((a, b) => b.at - a.at || a.order - b.order)
  return insertions.reduce((out, { at, text: inserted }) => out.slice(0, at) + inserted + out.slice(at), text)
}
