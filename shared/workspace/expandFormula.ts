import { metricDatasets } from '../catalog/metricDatasets.ts'
import { declaredColumn } from '../catalog/testedDatasets.ts'
import { FormulaError } from '../formula/formulaError.ts'
import { EVENTS_COLUMN, ownNameOf, ownSeriesName, SINCE_COLUMN } from '../formula/ownData.ts'
import { MAX_DEPTH, parseFormula } from '../formula/parseFormula.ts'
import { printFormula, printName } from '../formula/printFormula.ts'
import { missingSeriesMessage } from '../formula/missingSeriesMessage.ts'
import { childrenOf, type FormulaNode, withChildren } from '../formula/tree.ts'
import { isShade, showsPayments, type Transform, usesEarlierRows } from './chartStyle.ts'
import type { ColumnSource, FormulaInstrument, SeriesEntry } from './workspaceSchema.ts'

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
 * Formula functions by transform, outermost first, for the transforms that depend on previous rows. A chart may have
 * only reduced points, so it cannot apply these itself.
 */
const rowFunctions: Partial<Record<Transform, readonly string[]>> = {
  difference: ['diff'],
  cumulative: ['cumsum'],
  settled: ['settled'],
  // Between two funding times, the sum stays what it was.
  settledSum: ['ffill', 'cumsum', 'settled'],
}

/** What decides which rows a chart takes of a series. */
type ShownRows = Pick<SeriesEntry, 'source' | 'transform' | 'unit'> & Partial<Pick<SeriesEntry, 'style'>>

/** Tells whether a pane draws values of a series: not if it is hidden, a state, or events. */
export const hasValues = (entry: SeriesEntry): boolean => !entry.hidden && !isShade(entry) && !isDrawnAsFlags(entry)

/** The state of a series that shades the panes: 1 while it is not 0, else 0. */
const stateNode = (node: FormulaNode): FormulaNode => ({
  kind: 'binary',
  operator: '!=',
  left: node,
  right: { kind: 'number', value: 0, ...noPosition },
  ...noPosition,
})

/**
 * Tells whether a series is shown as a rate a year by the funding period at each time, which only the core can compute
 * before it reduces the points.
 */
export const isAnnualised = ({
  source,
  unit,
  transform,
}: Pick<SeriesEntry, 'source' | 'unit' | 'transform'>): boolean =>
  unit === 'annual' &&
  !showsPayments({ transform }) &&
  source.kind === 'column' &&
  declaredColumn(source.dataset, source.column)?.kind === 'rate'

/**
 * Builds the formula of an entry's rows, including its transform if that depends on previous rows, and its unit if that
 * depends on the time.
 */
export function expandEntry(
  entry: ShownRows & Pick<SeriesEntry, 'name'>,
  all: readonly SeriesEntry[],
): ExpandedFormula | { problem: FormulaProblem } {
  const columns: Record<string, ColumnSource> = {}
  try {
    const nodeByName = new Map<string, FormulaNode>()
    const node = expandSeries(entry, { all, columns, nodeByName, heights: new Map() }, [], 0)
    const shownNode = isAnnualised(entry) ? callNode('annual', node) : node
    const functions = rowFunctions[entry.transform] ?? []
    const valueNode = functions.reduceRight((inner, name) => callNode(name, inner), shownNode)
    const drawnNode = isShade(entry) ? stateNode(valueNode) : valueNode
    if (minimumLength(drawnNode) > MOST_CHARACTERS) throw tooLongError(entry)
    const formula = textOf(drawnNode, entry)
    if (formula.length > MOST_CHARACTERS) throw tooLongError(entry)
    return { formula, columns, named: [...nodeByName.keys()] }
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error
    return { problem: { message: error.message, start: error.start, end: error.end } }
  }
}

/** Prints an expanded formula with its columns named as studies name them: `dataset.column`. */
export function inDatasetNames({ formula, columns }: Pick<ExpandedFormula, 'formula' | 'columns'>): string {
  const renamed = (node: FormulaNode): FormulaNode => {
    if (node.kind === 'series')
      return Object.hasOwn(columns, node.name) ? { ...node, name: datasetName(columns[node.name]) } : node
    return withChildren(node, childrenOf(node).map(renamed))
  }
  return printFormula(renamed(parseFormula(formula)))
}

function datasetName({ dataset, column }: ColumnSource): string {
  const own = ownNameOf(dataset)
  return own === null ? `${dataset}.${column}` : ownSeriesName({ name: own, column })
}

/**
 * Lists the column series that a series is computed from; for a column series, only itself. A column that a formula
 * names as `dataset.column` is no series of the workspace, and has the id of the formula's.
 */
export function columnsBehind(entry: SeriesEntry, all: readonly SeriesEntry[]): SeriesEntry[] {
  if (entry.source.kind === 'column') return [entry]
  const expanded = expandEntry(entry, all)
  if ('problem' in expanded) return []
  const named = Object.entries(expanded.columns).flatMap(([name, source]): SeriesEntry[] =>
    namedSeries(name, all) ? [] : [{ ...columnEntry(name, source), id: entry.id }],
  )
  return [...seriesBehind(entry, all).filter(({ source }) => source.kind === 'column'), ...named]
}

const columnEntry = (name: string, source: ColumnSource): SeriesEntry => ({
  ...{ id: '', name, label: '', source, style: 'line', axis: 'auto', transform: 'none', colour: 0, hidden: false },
})

/** Lists the series that a formula names, directly or through other formulas; none if the formula has a problem. */
export function seriesBehind(entry: SeriesEntry, all: readonly SeriesEntry[]): SeriesEntry[] {
  const expanded = expandEntry(entry, all)
  if ('problem' in expanded) return []
  const namedIds = new Set(expanded.named.map((name) => namedSeries(name, all)?.id))
  return all.filter(({ id }) => namedIds.has(id))
}

/**
 * Finds a series by its name in formulas, or by `a.high`, another column of the dataset of series `a`; with an
 * instrument also by `dataset.column`, a column of that instrument.
 */
export function namedSeries(
  name: string,
  all: readonly SeriesEntry[],
  on?: FormulaInstrument,
): SeriesEntry | undefined {
  const entry = all.find((each) => each.name === name)
  const dot = name.indexOf('.')
  if (entry || dot < 0) return entry
  const [baseName, column] = [name.slice(0, dot), name.slice(dot + 1)]
  const base = all.find((each) => each.name === baseName)
  if (!base && on && declaredColumn(baseName, column))
    return columnEntry(name, { kind: 'column', dataset: baseName, column, ...on, resampleTo: '', origin: 'service' })
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
export const isPlainColumn = (entry: ShownRows): boolean =>
  isDrawnAsFlags(entry) ||
  (entry.source.kind === 'column' &&
    !isShade(entry) &&
    entry.source.resampleTo === '' &&
    !entry.source.asKnown &&
    ownCountOf(entry.source) === null &&
    !usesEarlierRows(entry) &&
    !isAnnualised(entry))

/** Returns what counts the events of an own dataset; null for a column of its files, and of any other dataset. */
const ownCountOf = ({ dataset, column }: ColumnSource): string | null =>
  ownNameOf(dataset) !== null && (column === EVENTS_COLUMN || column === SINCE_COLUMN) ? column : null

/** Tells whether a series is the events of an own dataset, which a chart draws as flags with their labels. */
export const isDrawnAsFlags = ({ source, transform, style }: ShownRows): boolean =>
  source.kind === 'column' && ownCountOf(source) === EVENTS_COLUMN && transform === 'none' && !isShade({ style })

/** Tells whether the rows of a series are those of its files. */
export const hasFileRows = (entry: ShownRows): boolean => isPlainColumn(entry) && !isDrawnAsFlags(entry)

/** Tells whether a series is rows of an own dataset at their own times, in its figures as in its line. */
export const isAtLabels = (entry: ShownRows): boolean =>
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
      const namedEntry = namedSeries(node.name, all, source.on)
      if (!namedEntry)
        throw new FormulaError(missingSeriesMessage(node.name, [...others(), ...columnsNear(node.name, all)]), node)
      if (namedEntry.name === name || outerNames.includes(namedEntry.name))
        throw new FormulaError(`${printName(namedEntry.name)} refers back to this series.`, node)
      const keyed = { ...namedEntry, name: columnKey(namedEntry) }
      return reportedAt(node, () => expandSeriesOnce(keyed, expansion, [...outerNames, name], within))
    }
    const children = childrenOf(node).map((child) => replace(child, within + 1))
    const replaced = withChildren(node, children)
    heights.set(replaced, 1 + Math.max(0, ...children.map((child) => heights.get(child) ?? 0)))
    return replaced
  }
  return replace(parseFormula(source.formula), depth)
}

/** Name of a column in an expanded formula: with its instrument, if it is no series of the workspace. */
function columnKey({ id, name, source }: SeriesEntry): string {
  if (id !== '' || source.kind !== 'column') return name
  const { exchange, symbol, interval, timestamp } = source
  return [name, symbol, exchange, interval, timestamp].join(' ')
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
