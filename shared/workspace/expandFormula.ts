import { metricDatasets } from '../catalog/metricDatasets.ts'
import { declaredColumn } from '../catalog/testedDatasets.ts'
import { FormulaError } from '../formula/formulaError.ts'
import { EVENTS_COLUMN, ownNameOf, SINCE_COLUMN } from '../formula/ownData.ts'
import { MAX_DEPTH, parseFormula } from '../formula/parseFormula.ts'
import { printFormula, printName } from '../formula/printFormula.ts'
import { missingSeriesMessage } from '../formula/missingSeriesMessage.ts'
import { childrenOf, type FormulaNode, withChildren } from '../formula/tree.ts'
import type { Transform } from './chartStyle.ts'
import type { ColumnSource, SeriesEntry } from './workspaceSchema.ts'

/** A formula over columns only, in which references to other series are expanded. */
interface ExpandedFormula {
  formula: string
  /** Column sources by their names in the formula. */
  columns: Record<string, ColumnSource>
  /** Names of all series that were expanded, including formulas. */
  named: readonly string[]
}

/** Problem of a formula, with half-open offsets in the user's text. */
export interface FormulaProblem {
  message: string
  start: number
  end: number
}

/**
 * Maximum length of an expanded formula. The length is estimated before the formula is printed, because every level can
 * double it.
 */
const MOST_CHARACTERS = 10_000

/** Position of nodes that do not come from the user's text. */
const noPosition = { start: 0, end: 0 }
const callNode = (name: string, ...args: FormulaNode[]): FormulaNode => ({ kind: 'call', name, args, ...noPosition })

/**
 * Formula functions by transform, for the transforms that depend on previous rows. A chart may have only reduced
 * points, so it cannot apply these itself.
 */
const rowFunctions: Partial<Record<Transform, string>> = { difference: 'diff', cumulative: 'cumsum' }

/**
 * Tells whether a series is shown as a rate a year by the funding period at each time, which only the core can compute
 * before it reduces the points.
 */
export const isAnnualised = ({ source, unit }: Pick<SeriesEntry, 'source' | 'unit'>): boolean =>
  unit === 'annual' && source.kind === 'column' && declaredColumn(source.dataset, source.column)?.kind === 'rate'

/**
 * Builds the formula of an entry's rows, including its transform if that depends on previous rows, and its unit if that
 * depends on the time.
 */
export function expandEntry(
  entry: Pick<SeriesEntry, 'name' | 'source' | 'transform' | 'unit'>,
  all: readonly SeriesEntry[],
): ExpandedFormula | { problem: FormulaProblem } {
  const columns: Record<string, ColumnSource> = {}
  try {
    const nodeByName = new Map<string, FormulaNode>()
    const node = expandSeries(entry, { all, columns, nodeByName, heights: new Map() }, [], 0)
    const rowFunction = rowFunctions[entry.transform]
    const shownNode = isAnnualised(entry) ? callNode('annual', node) : node
    const drawnNode = rowFunction ? callNode(rowFunction, shownNode) : shownNode
    if (minimumLength(drawnNode) > MOST_CHARACTERS) throw tooLongError(entry)
    const formula = textOf(drawnNode, entry)
    if (formula.length > MOST_CHARACTERS) throw tooLongError(entry)
    return { formula, columns, named: [...nodeByName.keys()] }
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error
    return { problem: { message: error.message, start: error.start, end: error.end } }
  }
}

/** Lists the column series that a series is computed from; for a column series, only itself. */
export const columnsBehind = (entry: SeriesEntry, all: readonly SeriesEntry[]): SeriesEntry[] =>
  entry.source.kind === 'column' ? [entry] : seriesBehind(entry, all).filter(({ source }) => source.kind === 'column')

/** Lists the series that a formula names, directly or through other formulas; none if the formula has a problem. */
export function seriesBehind(entry: SeriesEntry, all: readonly SeriesEntry[]): SeriesEntry[] {
  const expanded = expandEntry(entry, all)
  if ('problem' in expanded) return []
  const namedIds = new Set(expanded.named.map((name) => namedSeries(name, all)?.id))
  return all.filter(({ id }) => namedIds.has(id))
}

/** Finds a series by its name in formulas, or by `a.high`, another column of the dataset of series `a`. */
export function namedSeries(name: string, all: readonly SeriesEntry[]): SeriesEntry | undefined {
  const entry = all.find((each) => each.name === name)
  const dot = name.indexOf('.')
  if (entry || dot < 0) return entry
  const [base, column] = [all.find((each) => each.name === name.slice(0, dot)), name.slice(dot + 1)]
  if (base?.source.kind !== 'column' || !declaredColumn(base.source.dataset, column)) return undefined
  return { ...base, name, source: { ...base.source, column } }
}

/** Lists the columns that a misspelt name such as `a.hgh` may mean. */
function columnsNear(name: string, all: readonly SeriesEntry[]): string[] {
  const [base] = name.split('.', 1)
  const source = all.find((each) => each.name === base)?.source
  if (base === name || source?.kind !== 'column') return []
  const columns = metricDatasets.find(({ id }) => id === source.dataset)?.columns ?? []
  return columns.map((column) => `${base}.${column.name}`)
}

/** Tells whether a chart can draw the rows as they are in the file, or the events as flags. */
export const isPlainColumn = (entry: Pick<SeriesEntry, 'source' | 'transform' | 'unit'>): boolean =>
  isDrawnAsFlags(entry) ||
  (entry.source.kind === 'column' &&
    entry.source.resampleTo === '' &&
    !entry.source.asKnown &&
    ownCountOf(entry.source) === null &&
    rowFunctions[entry.transform] === undefined &&
    !isAnnualised(entry))

/** Returns what counts the events of an own dataset; null for a column of its files, and of any other dataset. */
const ownCountOf = ({ dataset, column }: ColumnSource): string | null =>
  ownNameOf(dataset) !== null && (column === EVENTS_COLUMN || column === SINCE_COLUMN) ? column : null

/** Tells whether a series is the events of an own dataset, which a chart draws as flags with their labels. */
export const isDrawnAsFlags = ({ source, transform }: Pick<SeriesEntry, 'source' | 'transform'>): boolean =>
  source.kind === 'column' && ownCountOf(source) === EVENTS_COLUMN && transform === 'none'

/** Tells whether the rows of a series are those of its files. */
export const hasFileRows = (entry: Pick<SeriesEntry, 'source' | 'transform' | 'unit'>): boolean =>
  isPlainColumn(entry) && !isDrawnAsFlags(entry)

/** Tells whether a series is rows of an own dataset at their own times, in its figures as in its line. */
export const isAtLabels = (entry: Pick<SeriesEntry, 'source' | 'transform' | 'unit'>): boolean =>
  entry.source.kind === 'column' && ownNameOf(entry.source.dataset) !== null && isPlainColumn(entry)

/**
 * Prints an expanded formula; one without references is kept as typed, so that the core's offsets match the user's
 * text.
 */
function textOf(node: FormulaNode, { source }: Pick<SeriesEntry, 'source'>): string {
  const printed = printFormula(node)
  const isUnchanged = source.kind === 'formula' && printFormula(parseFormula(source.formula)) === printed
  return isUnchanged ? source.formula : printed
}

const tooLongError = (entry: Pick<SeriesEntry, 'source'>) =>
  new FormulaError('The formula is too long once the formulas it refers to are written out.', fullRange(entry))

/** Returns a lower bound for the length of the printed formula; shared nodes are measured once. */
function minimumLength(root: FormulaNode): number {
  const lengths = new Map<FormulaNode, number>()
  const lengthOf = (node: FormulaNode): number => {
    const known = lengths.get(node)
    if (known !== undefined) return known
    const length = 1 + childrenOf(node).reduce((sum, child) => sum + lengthOf(child), 0)
    lengths.set(node, length)
    return length
  }
  return lengthOf(root)
}

const fullRange = ({ source }: Pick<SeriesEntry, 'source'>) => ({
  start: 0,
  end: source.kind === 'formula' ? source.formula.length : 0,
})

interface Expansion {
  all: readonly SeriesEntry[]
  /** Columns referenced so far. */
  columns: Record<string, ColumnSource>
  /** Expanded formulas by name; further references share the node. */
  nodeByName: Map<string, FormulaNode>
  /** Depth of nested operations below each node; nodes without operations are absent. */
  heights: Map<FormulaNode, number>
}

/**
 * Builds the node of a series, with references to other series replaced.
 * @param outerNames names of the series that lead to this one, to detect cycles
 * @param depth number of operations around this series
 */
function expandSeries(
  { name, source }: Pick<SeriesEntry, 'name' | 'source'>,
  expansion: Expansion,
  outerNames: readonly string[],
  depth: number,
): FormulaNode {
  const { all, columns, heights } = expansion
  if (source.kind === 'column') {
    columns[name] = source
    const series: FormulaNode = { kind: 'series', name, ...noPosition }
    return source.resampleTo
      ? callNode('resample', series, { kind: 'text', value: source.resampleTo, ...noPosition })
      : series
  }
  const others = () => all.map((each) => each.name).filter((each) => each !== name)
  const replace = (node: FormulaNode, within: number): FormulaNode => {
    if (node.kind === 'series') {
      const namedEntry = namedSeries(node.name, all)
      if (!namedEntry)
        throw new FormulaError(missingSeriesMessage(node.name, [...others(), ...columnsNear(node.name, all)]), node)
      if (namedEntry.name === name || outerNames.includes(namedEntry.name))
        throw new FormulaError(`${printName(namedEntry.name)} refers back to this series.`, node)
      return reportedAt(node, () => expandSeriesOnce(namedEntry, expansion, [...outerNames, name], within))
    }
    const children = childrenOf(node).map((child) => replace(child, within + 1))
    const replaced = withChildren(node, children)
    heights.set(replaced, 1 + Math.max(0, ...children.map((child) => heights.get(child) ?? 0)))
    return replaced
  }
  return replace(parseFormula(source.formula), depth)
}

function expandSeriesOnce(
  named: SeriesEntry,
  expansion: Expansion,
  inside: readonly string[],
  depth: number,
): FormulaNode {
  const { nodeByName, heights } = expansion
  const node = depth > MAX_DEPTH ? null : (nodeByName.get(named.name) ?? expandSeries(named, expansion, inside, depth))
  if (!node || depth + (heights.get(node) ?? 0) > MAX_DEPTH)
    throw new FormulaError(`More than ${MAX_DEPTH} nested operations.`, noPosition)
  nodeByName.set(named.name, node)
  return node
}

/** Reports a problem inside a named formula at the position where the user's formula names it. */
function reportedAt(node: FormulaNode & { kind: 'series' }, work: () => FormulaNode): FormulaNode {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error
    throw new FormulaError(`In ${printName(node.name)}: ${error.message}`, node)
  }
}
