import { printName } from '#shared/formula/printFormula.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import type { ResultOf } from '../../runStudy.ts'

type Screen = ResultOf<'screen'>
export type Cell = Screen['cells'][number]

/** Longest window, in bars, in which a formula that is no rank becomes a position. */
const LONGEST_WINDOW = 2016
/** Share of the later part for which the window lasts at most, because it first has to fill. */
const WINDOW_SHARE = 1 / 8

const isRank = (formula: string): boolean => /^rank\(/.test(formula) && closesAtEnd(formula)

/** Tells whether the first bracket of a formula is closed by its last character; brackets in quotes are part of a name. */
function closesAtEnd(formula: string): boolean {
  let depth = 0
  for (const { 0: part, index } of formula.matchAll(/"(?:[^"\\]|\\.)*"|'[^']*'|[()]/g)) {
    if (part === '(') depth++
    if (part === ')') depth--
    if (part === ')' && depth === 0) return index === formula.length - 1
  }
  return false
}

/**
 * Makes a position from −1 to 1 of a formula of a screen, in the direction that the screen learnt. The screen itself
 * places a signal among those of its first part; a test knows a trailing window only.
 */
export function positionFormula(formula: string, direction: 1 | -1, testTimes: number): string {
  const window = Math.max(8, Math.min(LONGEST_WINDOW, Math.floor(testTimes * WINDOW_SHARE)))
  const rank = isRank(formula) ? formula : `rank(${formula}, ${window}, ${Math.floor(window / 4)})`
  return direction > 0 ? `2 * ${rank} - 1` : `1 - 2 * ${rank}`
}

/** Writes a formula without spaces, needless quotes, and brackets around a name or all of it, to compare it with others. */
export const comparable = (formula: string): string =>
  withoutBrackets(formula.replace(/"(?:[^"\\]|\\.)*"|'[^']*'|\s+/g, compactPart).replace(bracketedNames, bareName))

function compactPart(part: string): string {
  if (part.startsWith("'")) return part
  return part.startsWith('"') ? printName(part.slice(1, -1).replace(/\\(["\\])/g, '$1')) : ''
}

/** Quoted parts, which stay, and names alone in brackets that are not those of a function. */
const bracketedNames = /"(?:[^"\\]|\\.)*"|'[^']*'|(?<![\p{L}\p{N}_.])\(([\p{L}_][\p{L}\p{N}_.]*|"(?:[^"\\]|\\.)*")\)/gu
const bareName = (part: string, name: string | undefined): string => name ?? part

const withoutBrackets = (formula: string): string =>
  formula.startsWith('(') && closesAtEnd(formula) ? withoutBrackets(formula.slice(1, -1)) : formula

/**
 * Lists the formulas of a screen that a signal may come from, comparable: itself, it with the other sign, and those of
 * which it is the position.
 */
export function formulasBehind(signal: string): string[] {
  const own = comparable(signal)
  const inner = /^2\*(rank\(.*\))-1$/.exec(own)?.[1] ?? /^1-2\*(rank\(.*\))$/.exec(own)?.[1]
  const ranked = inner === undefined ? undefined : /^rank\((.*),\d+,\d+\)$/.exec(inner)?.[1]
  const negated = own.startsWith('-') ? comparable(own.slice(1)) : undefined
  return [own, negated, inner, ranked && comparable(ranked)].filter((one) => one !== undefined)
}

/** Fields that a study or test of one cell takes over, on the days that gave its score. */
function commonOf({ study, split }: Screen, { symbol, formula, horizon }: Cell) {
  const { interval, end, price, delayBars, source } = study
  return {
    version: 1,
    name: `${formula}, ${horizon} ${horizon === 1 ? 'bar' : 'bars'}`,
    interval,
    start: split.time === null ? study.start : dayOrInstant(split.time),
    end,
    source: source && sourceOf(source, symbol),
    price,
    delayBars,
  }
}

const dayOrInstant = (time: number): string =>
  time % MS_PER_DAY === 0 ? new Date(time).toISOString().slice(0, 10) : new Date(time).toISOString()

/** Narrows a source to one symbol, which a study calls `exchange/symbol`. */
function sourceOf<Source extends { exchanges: string[]; symbols: string[] | null }>(
  source: Source,
  name: string,
): Source {
  const exchange = source.exchanges.find((one) => name.startsWith(`${one}/`))
  return exchange === undefined
    ? source
    : { ...source, exchanges: [exchange], symbols: [name.slice(exchange.length + 1)] }
}

/** Builds the series study of a cell of a screen, on its later days. */
export const seriesOf = (result: Screen, cell: Cell): Record<string, unknown> => ({
  ...commonOf(result, cell),
  kind: 'series',
  signal: cell.formula,
  horizons: [cell.horizon],
})

/** Builds the tested portfolio of a cell of a screen, on its later days and at the screen’s costs. */
export const testOf = (result: Screen, cell: Cell): Record<string, unknown> => ({
  ...commonOf(result, cell),
  kind: 'portfolio',
  signal: positionFormula(cell.formula, cell.direction, result.split.testTimes),
  weights: { rule: 'direct' },
  rebalance: { every: result.study.interval },
  costs: { feeBps: result.study.costBps },
  // The rows of a panel need not have funding rates.
  ...(result.study.source === null && { funding: 'none' }),
})
