import { describeReturns } from '../../along/describeReturns.ts'
import { type Ahead, lookAhead } from '../../along/lookAhead.ts'
import { readSymbol, type SymbolCells, type UsedCells, usedCells } from '../../along/symbolCells.ts'
import { type StudyGrid, timeAt } from '../../panel.ts'
import { meanOf, quantileOf } from '../../samples.ts'
import { delayWarnings, type KindRun } from '../../studyInput.ts'
import type { StudyMatrix } from '../../studyPanel.ts'
import { type StudyWarning, warning } from '../../studyWarnings.ts'
import { formatNumber } from '#shared/units/numbers.ts'
import { agree, plural } from '#shared/units/plurals.ts'
import type { SpellsStudy } from './fields.ts'
import { barsOf, findSpells, insideSpells, knownEnd, type Spell } from './findSpells.ts'
import { sharpestMoves } from './sharpestMoves.ts'

export function run({ study, panel, evaluate, onStage, checkpoint }: KindRun<SpellsStudy>) {
  const values = evaluate({ field: 'when', formula: study.when })
  const price = evaluate({ field: 'price', formula: study.price, isPrice: true })
  const signal = study.signal === null ? null : evaluate({ field: 'signal', formula: study.signal })
  const symbols = panel.symbols.map((_, place) => {
    checkpoint()
    onStage('horizons', place / panel.symbols.length)
    const cells = readSymbol(panel, { values, price }, place)
    const members = panel.member?.symbol(place) ?? null
    const onHorizon = (at: number) => {
      checkpoint()
      onStage('horizons', (place + at / study.horizons.length) / panel.symbols.length)
    }
    return symbolResult(panel, study, cells, signalOf(signal, place, members), onHorizon)
  })
  for (const matrix of [values, price, signal]) matrix?.close()
  return { result: { symbols }, warnings: [...delayWarnings(study.delayBars), ...noSpellWarnings(symbols)] }
}

/** Reads the signal of a symbol while it is a member; null if the study has none. */
function signalOf(matrix: StudyMatrix | null, place: number, members: Uint8Array | null): Float64Array | null {
  const values = matrix?.symbol(place) ?? null
  return values && members ? values.map((value, time) => (members[time] === 1 ? value : NaN)) : values
}

function symbolResult(
  grid: StudyGrid,
  study: SpellsStudy,
  cells: SymbolCells,
  signal: Float64Array | null,
  onHorizon: (at: number) => void,
) {
  const { timeCount, isOpen, values, lost } = cells
  const isOn = isOpen.map((open, time) => (open === 1 && values[time] !== 0 ? 1 : 0))
  const { spells, dropped } = findSpells(isOn, study)
  const isInside = insideSpells(spells, timeCount)
  let moves: ReturnType<typeof sharpestMoves> = []
  const horizons = study.horizons.map((horizon, at) => {
    onHorizon(at)
    const ahead = lookAhead(cells.price, study.delayBars, horizon)
    const used = usedCells(cells, { delay: study.delayBars, horizon, returns: ahead.returns })
    if (horizon === study.sharpestHorizon)
      moves = sharpestMoves(grid, study, { times: used.times, returns: ahead.returns, isInside, signal })
    return { horizon, ...returnsAround(spells, study.fill, ahead, used) }
  })
  const used = cells.coverage.present
  return {
    symbol: cells.symbol,
    attrition: {
      cells: timeCount,
      notMember: lost.notMember,
      noValue: cells.coverage.members - used,
      used,
    },
    spells: spells.map((one) => ({ from: timeAt(grid, one.from), to: timeAt(grid, one.to), bars: barsOf(one) })),
    dropped,
    share: used === 0 ? null : countBoth(isOpen, isInside) / used,
    length: lengthsOf(spells),
    horizons,
    moves,
  }
}

const countBoth = (one: Uint8Array, other: Uint8Array): number =>
  one.reduce((sum, flag, at) => sum + (flag & other[at]), 0)

function lengthsOf(spells: readonly Spell[]) {
  const lengths = Float64Array.from(spells, barsOf).sort()
  const max = lengths.at(-1) ?? null
  return { n: lengths.length, mean: meanOf(lengths), median: quantileOf(lengths, 0.5), max }
}

/** Describes the returns from when spells are known to have begun and to be over, in used cells, beside those of all. */
function returnsAround(spells: readonly Spell[], fill: number, ahead: Ahead, used: UsedCells) {
  const isUsed = new Uint8Array(ahead.returns.length)
  for (const time of used.times) isUsed[time] = 1
  const figuresAt = (places: readonly number[]) =>
    describeReturns(Int32Array.from(places.filter((place) => isUsed[place] === 1)), ahead, {
      kind: 'plain',
      isSample: null,
    })
  return {
    starts: figuresAt(spells.map(({ knownFrom }) => knownFrom)),
    ends: figuresAt(spells.map((spell) => knownEnd(spell, fill))),
    all: { all: true as const, ...describeReturns(used.times, ahead, { kind: 'plain', isSample: used.isSample }) },
  }
}

type SymbolResult = ReturnType<typeof symbolResult>

/** What became of a number of cells. */
const lostTexts = {
  notMember: (count: number) => `${agree(count, 'is', 'are')} of no member`,
  noValue: (count: number) => `${agree(count, 'has', 'have')} no value of the condition`,
  used: (count: number) => agree(count, 'has a value and is off', 'have a value and are off'),
} as const

/** Warns if no symbol has a spell, and names the most frequent reason. */
function noSpellWarnings(symbols: readonly SymbolResult[]): StudyWarning[] {
  if (symbols.some(({ spells }) => spells.length > 0)) return []
  const sum = (count: (symbol: SymbolResult) => number) => symbols.reduce((total, one) => total + count(one), 0)
  const cells = plural(
    sum(({ attrition }) => attrition.cells),
    'cell',
  )
  const dropped = sum((one) => one.dropped)
  if (dropped > 0)
    return [
      warning(
        'no-events',
        `${agree(dropped, 'The only spell', `All ${formatNumber(dropped, 0)} spells`)} of ${cells} ${agree(dropped, 'lasts', 'last')} fewer bars than minBars.`,
      ),
    ]
  const reasons = Object.keys(lostTexts) as (keyof typeof lostTexts)[]
  const counts = reasons.map((reason) => ({ reason, count: sum(({ attrition }) => attrition[reason]) }))
  const [{ reason, count }] = counts.sort((a, b) => b.count - a.count)
  return [
    warning(
      'no-events',
      `The state is on in none of ${cells}: ${formatNumber(count, 0)} ${lostTexts[reason](count)}, which is the largest count.`,
    ),
  ]
}
