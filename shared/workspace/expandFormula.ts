import { FormulaError } from '../formula/formulaError.ts'
import { parseFormula } from '../formula/parseFormula.ts'
import { printFormula, printName } from '../formula/printFormula.ts'
import { missingSeries } from '../formula/missingSeries.ts'
import type { FormulaNode } from '../formula/tree.ts'
import type { Transform } from './chartStyle.ts'
import type { ColumnSource, SeriesEntry } from './workspace.ts'

/** A formula over columns alone: what other series of the workspace stand for is written out. */
export interface Expanded {
  formula: string
  /** By the names that the formula has. */
  columns: Record<string, ColumnSource>
}

/** Problem of a formula, with half-open offsets in the text that the person wrote. */
export interface FormulaTrouble {
  message: string
  start: number
  end: number
}

/** Written-out formulas double with every level that names another twice. */
const MOST_CHARACTERS = 10_000

const at = { start: 0, end: 0 }
const called = (name: string, ...args: FormulaNode[]): FormulaNode => ({ kind: 'call', name, args, ...at })

/** Transforms that look at the row before: these belong to the rows, not to the picture. */
const rowwise: Partial<Record<Transform, string>> = { difference: 'diff', cumulative: 'cumsum' }

/** Builds the formula of an entry's rows, its transform included if that is applied row by row. */
export function expandEntry(
  entry: Pick<SeriesEntry, 'name' | 'source' | 'transform'>,
  all: readonly SeriesEntry[],
): Expanded | { trouble: FormulaTrouble } {
  const columns: Record<string, ColumnSource> = {}
  try {
    const node = expanded(entry, all, columns, [])
    const way = rowwise[entry.transform]
    const formula = textOf(way ? called(way, node) : node, entry)
    if (formula.length > MOST_CHARACTERS)
      throw new FormulaError('With the formulas it names written out, it is too long.', wholeOf(entry))
    return { formula, columns }
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error
    return { trouble: { message: error.message, start: error.start, end: error.end } }
  }
}

/** Tells whether a chart can draw the rows as the file has them. */
export const isPlainColumn = ({ source, transform }: Pick<SeriesEntry, 'source' | 'transform'>): boolean =>
  source.kind === 'column' && source.resampleTo === '' && rowwise[transform] === undefined

/** A formula without references is kept as written, so that the core's offsets are offsets in the person's text. */
function textOf(node: FormulaNode, { source }: Pick<SeriesEntry, 'source'>): string {
  const printed = printFormula(node)
  const isOwn = source.kind === 'formula' && printFormula(parseFormula(source.formula)) === printed
  return isOwn ? source.formula : printed
}

const wholeOf = ({ source }: Pick<SeriesEntry, 'source'>) => ({
  start: 0,
  end: source.kind === 'formula' ? source.formula.length : 0,
})

function expanded(
  { name, source }: Pick<SeriesEntry, 'name' | 'source'>,
  all: readonly SeriesEntry[],
  columns: Record<string, ColumnSource>,
  inside: readonly string[],
): FormulaNode {
  if (source.kind === 'column') {
    columns[name] = source
    const series: FormulaNode = { kind: 'series', name, ...at }
    return source.resampleTo ? called('resample', series, { kind: 'text', value: source.resampleTo, ...at }) : series
  }
  const replace = (node: FormulaNode): FormulaNode => {
    if (node.kind === 'call') return { ...node, args: node.args.map(replace) }
    if (node.kind === 'unary') return { ...node, operand: replace(node.operand) }
    if (node.kind === 'binary') return { ...node, left: replace(node.left), right: replace(node.right) }
    if (node.kind !== 'series') return node
    const named = all.find((each) => each.name === node.name)
    const known = all.map((each) => each.name).filter((each) => each !== name)
    if (!named) throw new FormulaError(missingSeries(node.name, known), node)
    if (named.name === name || inside.includes(named.name))
      throw new FormulaError(`${printName(named.name)} is made of this series itself.`, node)
    return inPlace(node, () => expanded(named, all, columns, [...inside, name]))
  }
  return replace(parseFormula(source.formula))
}

/** Trouble inside a formula that is named stands, for who reads this one, where it is named. */
function inPlace(node: FormulaNode & { kind: 'series' }, work: () => FormulaNode): FormulaNode {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error
    throw new FormulaError(`In ${printName(node.name)}: ${error.message}`, node)
  }
}
