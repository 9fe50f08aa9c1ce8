import { plainPlural } from '../units/plurals.ts'
import { evaluateFormula } from './evaluateFormula.ts'
import { FormulaError } from './formulaError.ts'
import { functionNames } from './formulaNames.ts'
import {
  MOST_OWN_CHARACTERS,
  MOST_OWN_PARAMETERS,
  type OwnFunction,
  ownNamePattern,
  ownSignature,
} from './ownFunctionShape.ts'
import { parseFormula } from './parseFormula.ts'
import { printFormula } from './printFormula.ts'
import { MAX_FORMULA_LENGTH } from './tokens.ts'
import { childrenOf, type FormulaNode, type TextRange, seriesNamesOf, withChildren } from './tree.ts'

const keywords = new Set(['and', 'or', 'not'])

type ExpansionResult = { formula: string } | { problem: TextRange & { message: string } }

/**
 * Expands the custom functions in a formula, so that stored formulas mean the same for everyone and forever. A formula
 * without custom functions is returned unchanged.
 */
export function expandOwnFunctions(formula: string, functions: readonly OwnFunction[]): ExpansionResult {
  try {
    const tree = parseFormula(formula)
    const byName = new Map(functions.map((one) => [one.name, one]))
    if (!callsOwn(tree, byName)) return { formula }
    const text = printFormula(expandNode(tree, { byName, inside: [], size: { left: MAX_FORMULA_LENGTH } }))
    if (text.length > MAX_FORMULA_LENGTH) throw tooLongError(tree)
    return { formula: text }
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error
    return { problem: { message: error.message, start: error.start, end: error.end } }
  }
}

type FunctionsByName = ReadonlyMap<string, OwnFunction>

const isOwn = (node: FormulaNode, byName: FunctionsByName) => node.kind === 'call' && byName.has(node.name)
const callsOwn = (node: FormulaNode, byName: FunctionsByName): boolean =>
  isOwn(node, byName) || childrenOf(node).some((child) => callsOwn(child, byName))

const tooLongError = ({ start, end }: TextRange) =>
  new FormulaError('The formula is too long once your own functions are written out.', { start, end })

interface ExpansionState {
  byName: FunctionsByName
  /** Custom functions being expanded here, which may not be called recursively. */
  inside: readonly string[]
  /** Remaining number of parts that may be written, because nested functions can double the size at every level. */
  size: { left: number }
}

function expandNode(node: FormulaNode, state: ExpansionState): FormulaNode {
  const { byName, inside, size } = state
  size.left -= 1
  if (size.left < 0) throw tooLongError(node)
  const children = childrenOf(node).map((child) => expandNode(child, state))
  const own = node.kind === 'call' ? byName.get(node.name) : undefined
  if (node.kind !== 'call' || !own) return withChildren(node, children)
  if (inside.includes(own.name)) throw new FormulaError(`${own.name} calls itself.`, node)
  if (children.length !== own.parameters.length) {
    const message = `${ownSignature(own)} needs ${plainPlural(own.parameters.length, 'argument')}, not ${children.length}.`
    throw new FormulaError(message, node)
  }
  const argumentByParameter = new Map(own.parameters.map((parameter, at) => [parameter, children[at]]))
  return reportErrorsAt(node, own, () => {
    const body = expandNode(parseFormula(own.formula), { ...state, inside: [...inside, own.name] })
    return withArguments(body, argumentByParameter, size)
  })
}

/** Reports an error inside a custom function at the position of its call. */
function reportErrorsAt(node: TextRange, { name }: OwnFunction, work: () => FormulaNode): FormulaNode {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error
    throw new FormulaError(`In ${name}: ${error.message}`, node)
  }
}

function withArguments(
  node: FormulaNode,
  argumentByParameter: ReadonlyMap<string, FormulaNode>,
  size: ExpansionState['size'],
): FormulaNode {
  const value = node.kind === 'series' ? argumentByParameter.get(node.name) : undefined
  if (value) {
    size.left -= sizeOf(value)
    if (size.left < 0) throw tooLongError(node)
    return value
  }
  return withChildren(
    node,
    childrenOf(node).map((child) => withArguments(child, argumentByParameter, size)),
  )
}

const sizeOf = (node: FormulaNode): number => 1 + childrenOf(node).reduce((sum, child) => sum + sizeOf(child), 0)

/** Returns why a function cannot be saved; null if it can. */
export function ownFunctionProblem(candidate: OwnFunction, others: readonly OwnFunction[]): string | null {
  const { name, parameters, formula } = candidate
  if (!ownNamePattern.test(name) || keywords.has(name))
    return 'The name must begin with a lower-case letter and contain only lower-case letters, digits and _.'
  if (functionNames.includes(name)) return `The language already has a function ${name}.`
  if (parameters.length === 0) return 'The function needs at least one parameter.'
  if (parameters.length > MOST_OWN_PARAMETERS) return `The function has more than ${MOST_OWN_PARAMETERS} parameters.`
  if (formula.length > MOST_OWN_CHARACTERS) return `The formula has more than ${MOST_OWN_CHARACTERS} characters.`
  const badParameter = parameters.find((each) => !ownNamePattern.test(each) || keywords.has(each))
  if (badParameter !== undefined) return `${badParameter} cannot be the name of a parameter.`
  if (new Set(parameters).size < parameters.length) return 'Two parameters have the same name.'
  const all = [...others.filter((each) => each.name !== name), candidate]
  return problemInUse(candidate, all)
}

/** Calls the function with empty series, to find the errors that do not depend on the arguments. */
function problemInUse(candidate: OwnFunction, all: readonly OwnFunction[]): string | null {
  const expanded = expandOwnFunctions(ownSignature(candidate), all)
  if ('problem' in expanded) return expanded.problem.message
  const unknownName = seriesNamesOf(parseFormula(expanded.formula)).find((name) => !candidate.parameters.includes(name))
  if (unknownName !== undefined) return `${unknownName} is not a parameter of the function.`
  const noRows = { times: new Float64Array(0), values: new Float64Array(0), valid: null, intervalMs: 60_000 }
  try {
    evaluateFormula(expanded.formula, new Map(candidate.parameters.map((name) => [name, noRows])))
    return null
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error
    return error.message
  }
}
