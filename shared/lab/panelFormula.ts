import { alignSeries } from '#shared/formula/alignSeries.ts'
import { crossSectionFunction, type CrossSectionFunction } from '#shared/formula/crossSectionFunctions.ts'
import { constantIn, evaluateTree, type FormulaSource, parameterKinds } from '#shared/formula/evaluateFormula.ts'
import { FormulaError } from '#shared/formula/formulaError.ts'
import { missingSeriesMessage } from '#shared/formula/missingSeriesMessage.ts'
import { parseFormula } from '#shared/formula/parseFormula.ts'
import type { Series, SeriesInput } from '#shared/formula/series.ts'
import { childrenOf, type FormulaNode } from '#shared/formula/tree.ts'
import { ValueSorter } from '#shared/statistics/orderValues.ts'
import { TIMES_PER_CHECKPOINT, type Checkpoint, noCheckpoint } from './checkpoint.ts'
import type { Panel } from './panel.ts'
import { formulaRefusal } from './formulaRefusal.ts'
import { type StudyMatrix, type StudyPanel, type TimeBlock, timeBlocks, memoryPanel } from './studyPanel.ts'

/** Values of a formula ordered by time: cell `time · symbols + symbol`, NaN if missing. */
export type Matrix = Float64Array

/** Units and resampling rules of columns, as far as the source of a panel declares them. */
export interface ColumnRules {
  rule(name: string, symbol: number): SeriesInput | null
}

/** Formula in a field of a study. */
export interface FieldFormula {
  field: string
  formula: string
  /** True for prices, of which only positive ones count. */
  isPrice?: boolean
}

/** Evaluates a formula for every symbol of a study; throws a `StudyError` that names the field. */
export const evaluateField = (
  panel: StudyPanel,
  { field, formula, isPrice = false }: FieldFormula,
  rules?: ColumnRules,
  checkpoint?: Checkpoint,
): StudyMatrix =>
  withFieldName(field, formula, () =>
    new PanelEvaluation(panel, rules, checkpoint).matrix(parseFormula(formula), isPrice),
  )

/**
 * Evaluates a formula that does not look across symbols for one symbol: values over time, NaN if missing. Throws a
 * `StudyError` that names the field.
 */
export const evaluateForSymbol = (
  panel: StudyPanel,
  { field, formula }: FieldFormula,
  symbol: number,
  rules?: ColumnRules,
  checkpoint?: Checkpoint,
): Float64Array =>
  withFieldName(field, formula, () =>
    new PanelEvaluation(panel, rules, checkpoint).symbol(parseFormula(formula), symbol),
  )

/** Evaluates a formula for every symbol of a panel in memory; throws a `StudyError` that names the field. */
export const evaluateOnPanel = (panel: Panel, field: string, formula: string, rules?: ColumnRules): Matrix =>
  evaluateField(memoryPanel(panel), { field, formula }, rules).rows(0, panel.timeCount)

/**
 * Evaluates a formula for every symbol of a panel; a formula without columns gives a single number, which stands for
 * every cell.
 */
export function evaluateOrConstant(panel: Panel, field: string, formula: string, rules?: ColumnRules): Matrix | number {
  const constant = withFieldName(field, formula, () => constantIn(parseFormula(formula)))
  if (constant === null) return evaluateOnPanel(panel, field, formula, rules)
  return Number.isFinite(constant) ? constant : NaN
}

/**
 * Evaluates a formula for every symbol of a panel and returns its values at the given times: cell `i · symbols +
 * symbol` for `times[i]`, NaN if missing. A formula without columns gives a single number, which stands for every cell.
 */
export function evaluateAtTimes(
  panel: Panel,
  field: string,
  formula: string,
  times: Int32Array,
  rules?: ColumnRules,
): Float64Array | number {
  return withFieldName(field, formula, () => {
    const node = parseFormula(formula)
    const constant = constantIn(node)
    if (constant !== null) return Number.isFinite(constant) ? constant : NaN
    return new PanelEvaluation(memoryPanel(panel), rules).atTimes(node, times)
  })
}

/** Turns a formula error into a `StudyError` that names the field and the part of the formula. */
export function withFieldName<Result>(field: string, formula: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error
    throw formulaRefusal(field, formula, error)
  }
}

/** Counts the cross-sectional calls in a formula; 0 for one that cannot be parsed. */
export function crossSectionCalls(formula: string): number {
  const count = (node: FormulaNode): number =>
    childrenOf(node).reduce(
      (sum, child) => sum + count(child),
      node.kind === 'call' && crossSectionFunction(node.name) ? 1 : 0,
    )
  try {
    return count(parseFormula(formula))
  } catch {
    return 0
  }
}

type Call = FormulaNode & { kind: 'call' }

class PanelEvaluation {
  readonly #panel: StudyPanel
  readonly #rules: ColumnRules | undefined
  /** Results of cross-sectional calls. */
  readonly #computed = new Map<FormulaNode, StudyMatrix>()
  readonly #sorter: ValueSorter
  readonly #checkpoint: Checkpoint

  constructor(panel: StudyPanel, rules: ColumnRules | undefined, checkpoint: Checkpoint = noCheckpoint) {
    this.#panel = panel
    this.#checkpoint = checkpoint
    this.#rules = rules
    this.#sorter = new ValueSorter(panel.symbols.length)
  }

  matrix(node: FormulaNode, isPrice: boolean): StudyMatrix {
    this.#computeCrossSections(node)
    const matrix = this.#evaluateSymbols(node, isPrice ? onlyPositive : (series) => series)
    for (const computed of this.#computed.values()) computed.close()
    return matrix
  }

  symbol(node: FormulaNode, symbol: number): Float64Array {
    const { values, valid } = this.#evaluateSymbol(node, symbol)
    const cells = new Float64Array(values.length)
    for (let time = 0; time < values.length; time++)
      cells[time] = valid === null || valid[time] !== 0 ? values[time] : NaN
    return cells
  }

  atTimes(node: FormulaNode, times: Int32Array): Float64Array {
    this.#computeCrossSections(node)
    const width = this.#panel.symbols.length
    const result = new Float64Array(times.length * width)
    for (let symbol = 0; symbol < width; symbol++) {
      const { values, valid } = this.#evaluateSymbol(node, symbol)
      for (let place = 0; place < times.length; place++) {
        const time = times[place]
        result[place * width + symbol] = valid === null || valid[time] !== 0 ? values[time] : NaN
      }
    }
    return result
  }

  /** Computes the cross-sectional calls beforehand, innermost first. */
  #computeCrossSections(node: FormulaNode): void {
    childrenOf(node).forEach((child) => this.#computeCrossSections(child))
    const calledFunction = node.kind === 'call' ? crossSectionFunction(node.name) : undefined
    if (calledFunction) this.#computed.set(node, this.#evaluateAcross(calledFunction, node as Call))
  }

  /** Evaluates a tree symbol by symbol and writes the result to a matrix. */
  #evaluateSymbols(node: FormulaNode, transform: (series: Series) => Series = (series) => series): StudyMatrix {
    const { symbols, tileSymbols } = this.#panel
    const matrix = this.#panel.newMatrix()
    for (let firstSymbol = 0; firstSymbol < symbols.length; firstSymbol += tileSymbols) {
      const tile = symbols
        .slice(firstSymbol, firstSymbol + tileSymbols)
        .map((_, at) => transform(this.#evaluateSymbol(node, firstSymbol + at)))
      matrix.writeSymbols(firstSymbol, tile)
    }
    return matrix
  }

  /** Evaluates a tree for one symbol and aligns the result to the grid. */
  #evaluateSymbol(node: FormulaNode, symbol: number): Series {
    this.#checkpoint()
    const { timeCount, intervalMs, firstSlot } = this.#panel
    return alignSeries(evaluateTree(node, this.#source(symbol)), { intervalMs, firstSlot, rows: timeCount })
  }

  #source(symbol: number): FormulaSource {
    const { otherColumns, columnNames } = this.#panel
    const rules = this.#rules
    return {
      series: (name) => this.#panel.series(name, symbol),
      missing: (name) =>
        otherColumns.includes(name) ? `The column ${name} is not numeric.` : missingSeriesMessage(name, columnNames),
      column: (name) => rules?.rule(name, symbol) ?? null,
      ...(rules && { funding: (name) => rules.rule(name, symbol)?.funding ?? null }),
      computed: (node) => {
        const matrix = this.#computed.get(node)
        return matrix && this.#seriesOf(matrix.symbol(symbol))
      },
    }
  }

  #evaluateAcross(called: CrossSectionFunction, call: Call): StudyMatrix {
    const kinds = parameterKinds(called, call)
    const matrices: StudyMatrix[] = []
    let parameter = NaN
    call.args.forEach((arg, at) => {
      if (kinds[at] === 'series') matrices.push(this.#argument(arg))
      else parameter = numberOf(called, arg)
    })
    const [x, y] = matrices
    for (const { from, to } of timeBlocks(this.#panel)) {
      const xCells = x.rows(from, to)
      this.#applyByTime(called, { from, to, x: xCells, y: y?.rows(from, to) ?? xCells, parameter })
      x.writeRows(from, xCells)
    }
    y?.close()
    return x
  }

  #argument(node: FormulaNode): StudyMatrix {
    if (constantIn(node) !== null) {
      throw new FormulaError('A series is needed here, not a constant.', node)
    }
    return this.#evaluateSymbols(node)
  }

  /** Replaces `x` by the results of the function, time by time; NaN for non-members and missing arguments. */
  #applyByTime(called: CrossSectionFunction, { from: firstTime, to, x, y, parameter }: CrossSectionBlock): void {
    const width = this.#panel.symbols.length
    const member = this.#panel.member?.rows(firstTime, to)
    const memberCells = new Int32Array(width)
    const section = {
      count: 0,
      x: new Float64Array(width),
      y: new Float64Array(width),
      parameter,
      result: new Float64Array(width),
      orderOfX: () => this.#sorter.sort(section.x, section.count),
    }
    for (let time = 0, from = 0; time < to - firstTime; time++, from += width) {
      if (time % TIMES_PER_CHECKPOINT === 0) this.#checkpoint()
      section.count = 0
      for (let cell = from; cell < from + width; cell++) {
        if (Number.isNaN(x[cell]) || Number.isNaN(y[cell]) || (member && !member[cell])) continue
        section.x[section.count] = x[cell]
        section.y[section.count] = y[cell]
        memberCells[section.count++] = cell
      }
      x.fill(NaN, from, from + width)
      if (section.count === 0) continue
      called.apply(section)
      for (let i = 0; i < section.count; i++) x[memberCells[i]] = section.result[i]
    }
  }

  /** Converts a symbol's cells to a series; non-finite numbers are missing. */
  #seriesOf(cells: Float64Array): Series {
    const { intervalMs, firstSlot } = this.#panel
    const values = new Float64Array(cells.length)
    const valid = new Uint8Array(cells.length)
    for (let time = 0; time < cells.length; time++) {
      const value = cells[time]
      if (value - value !== 0) continue
      values[time] = value
      valid[time] = 1
    }
    return { intervalMs, firstSlot, values, valid }
  }
}

/** Arguments of a cross-sectional call in a block of times. */
interface CrossSectionBlock extends TimeBlock {
  x: Matrix
  y: Matrix
  parameter: number
}

/** Keeps positive values; the others are missing. */
function onlyPositive(series: Series): Series {
  const { values, valid } = series
  const isPositive = new Uint8Array(values.length)
  for (let at = 0; at < values.length; at++)
    isPositive[at] = values[at] > 0 && (valid === null || valid[at] !== 0) ? 1 : 0
  return { ...series, valid: isPositive }
}

function numberOf(called: CrossSectionFunction, node: FormulaNode): number {
  const value = constantIn(node)
  if (value === null || !Number.isFinite(value)) {
    throw new FormulaError('A constant is needed here, the same for all rows.', node)
  }
  const problem = called.parameterProblem?.(value) ?? null
  if (problem !== null) throw new FormulaError(problem, node)
  return value
}
