import { column, type Section, type SheetChart, type SheetSeries, type SheetTable, table } from '#shared/sheet/sheet.ts'
import { parseInterval } from '#shared/time.ts'
import { plainPlural, plural } from '#shared/units/plurals.ts'
import type { ResultOf } from '../../runStudy.ts'
import {
  alongColumns,
  intervalChart,
  meanInterval,
  reasonColumns,
  returnColumns,
  rowsOf,
  symbolColumn,
} from '../alongSections.ts'
import { attritionTable, figure, summary } from '../sections.ts'
import { addedAttrition, errorText, isSignificant, nothingUsedText, percentText, unansweredText } from '../verdicts.ts'

type SpellsResult = ResultOf<'spells'>
type SymbolResult = SpellsResult['symbols'][number]
type Around = SymbolResult['horizons'][number]['starts']

export const leading = ['summary', 'symbols', 'around']

/** The answer in one sentence. */
export function verdict(result: SpellsResult): string {
  const unanswered = unansweredText(result)
  if (unanswered !== null) return unanswered
  const { symbols } = result
  const attrition = addedAttrition(symbols.map((one) => one.attrition))
  if (attrition.used === 0) return nothingUsedText(attrition)
  return symbols.length === 1 ? symbolVerdict(symbols[0]) : symbolsVerdict(symbols)
}

function symbolVerdict({ spells, share, length, horizons }: SymbolResult): string {
  const [{ horizon, starts, ends, all }] = horizons
  const on = share === null ? '' : ` (${percentText(share)} of the time)`
  const usualBars = length.median === null ? '' : `${plural(Math.floor(length.median), 'bar')} long`
  const lasts = usualBars && (length.n === 1 ? `, ${usualBars}` : `, half of them at most ${usualBars}`)
  const change = ({ mean, low, high, p, n }: Around, lead: string) => {
    if (mean === null) return 'no return is known'
    const judged = p === null ? ` (too few to judge: ${n})` : isSignificant(p) ? '' : ' (no more than chance)'
    return `${lead}by ${percentText(mean)}${errorText(low, high, percentText)}${judged}`
  }
  const usual = all.mean === null ? '' : `, at any time by ${percentText(all.mean)}`
  const after = `${plural(horizon, 'bar')} after a start ${change(starts, 'the price has changed ')}, after an end ${change(ends, '')}${usual}`
  return `The state was on in ${plural(spells.length, 'spell')}${on}${lasts}; ${after}.`
}

/** Sorts symbols by how much of their time the state was on, the most first. */
const byTimeOn = (symbols: readonly SymbolResult[]): SymbolResult[] =>
  symbols.toSorted((a, b) => (b.share ?? 0) - (a.share ?? 0))

function symbolsVerdict(symbols: readonly SymbolResult[]): string {
  const count = symbols.reduce((sum, { spells }) => sum + spells.length, 0)
  const withSpells = symbols.filter(({ spells }) => spells.length > 0)
  const [longest] = byTimeOn(withSpells)
  const share = longest.share === null ? '' : ` (${percentText(longest.share)} of its time)`
  return `The state was on in ${plural(count, 'spell')} of ${plural(withSpells.length, 'symbol')} of ${symbols.length}, most of ${longest.symbol}${share}.`
}

function symbolTable(symbols: readonly SymbolResult[]): SheetTable {
  const cell = column<SymbolResult>
  return table(
    { id: 'symbols', title: 'Spells by symbol' },
    [
      symbolColumn<SymbolResult>(),
      cell('n', 'Spells', 'count', ({ length }) => length.n),
      cell('share', 'On', 'share', ({ share }) => share, { hint: 'Share of the bars with a value that lie in spells' }),
      cell('mean', 'Mean bars', 'ratio', ({ length }) => length.mean),
      cell('median', 'Median bars', 'ratio', ({ length }) => length.median),
      cell('max', 'Longest', 'count', ({ length }) => length.max),
      cell('dropped', 'Too short', 'count', ({ dropped }) => dropped),
    ],
    symbols,
  )
}

function aroundTable(symbols: readonly SymbolResult[]): SheetTable {
  const rows = rowsOf(symbols, ({ starts, ends, all }) => [
    { when: 'Start', ...starts },
    { when: 'End', ...ends },
    { when: 'Any time', ...all },
  ])
  type Row = (typeof rows)[number]
  return table(
    {
      id: 'around',
      title: 'Returns after starts and ends',
      note: 'From the bar at which a spell is known to have begun, or to be over',
    },
    [...alongColumns<Row>(), column<Row>('when', 'After', 'text', ({ when }) => when), ...returnColumns<Row>()],
    rows,
  )
}

function spellTable(symbols: readonly SymbolResult[]): SheetTable {
  const rows = symbols.flatMap(({ symbol, spells }) => spells.map((spell) => ({ symbol, ...spell })))
  const cell = column<(typeof rows)[number]>
  return table(
    { id: 'spells', title: 'Spells', empty: 'The state was never on for long enough.' },
    [
      symbolColumn<(typeof rows)[number]>(),
      cell('from', 'From', 'time', ({ from }) => from),
      cell('to', 'To', 'time', ({ to }) => to, { hint: 'The last bar at which the state was on' }),
      cell('bars', 'Bars', 'count', ({ bars }) => bars),
    ],
    rows,
  )
}

function moveTables({ study, symbols }: SpellsResult): SheetTable[] {
  const rows = symbols.flatMap(({ symbol, moves }) => moves.map((move) => ({ symbol, ...move })))
  if (rows.length === 0) return []
  const cell = column<(typeof rows)[number]>
  return [
    table(
      { id: 'moves', title: `Sharpest moves of ${plainPlural(study.sharpestHorizon, 'bar')}` },
      [
        symbolColumn<(typeof rows)[number]>(),
        cell('time', 'Time', 'time', ({ time }) => time),
        cell('r', 'Return', 'share', ({ r }) => r),
        cell('inSpell', 'State', 'text', ({ inSpell }) => (inSpell ? 'on' : 'off')),
        ...(study.signal === null ? [] : [cell('signal', 'Signal', 'statistic', ({ signal }) => signal)]),
      ],
      rows,
    ),
  ]
}

/** Number of symbols whose state is drawn at most. */
const MOST_STRIPS = 8

/** Draws when the state was on: 1 within a spell, 0 elsewhere. The symbol that the verdict names comes first. */
function stateChart({ data, study, symbols }: SpellsResult): SheetChart {
  const intervalMs = (parseInterval(study.interval) ?? 0) * 1000
  const { firstTime, lastTime } = data
  return {
    ...{ kind: 'chart', id: 'state', title: 'State through time', style: 'line', names: null },
    note: symbols.length > MOST_STRIPS ? `The ${MOST_STRIPS} symbols that were on the most` : '1 within a spell',
    series: byTimeOn(symbols)
      .slice(0, MOST_STRIPS)
      .map(({ symbol, spells }): SheetSeries => {
        const steps = spells.flatMap(({ from, to }): [number, number][] => [
          [from, 1],
          [to + intervalMs, 0],
        ])
        // A spell that begins with the range, or lasts to its end, has no bar without it there.
        const points = [[firstTime, 0], ...steps.filter(([time]) => time > firstTime && time <= lastTime)]
        if (spells.at(0)?.from === firstTime) points[0][1] = 1
        if (points[points.length - 1][0] < lastTime) points.push([lastTime, points[points.length - 1][1]])
        return {
          ...{ id: symbol, label: symbol, kind: 'count', style: 'step', valid: null },
          x: Float64Array.from(points, ([time]) => time),
          values: Float64Array.from(points, ([, on]) => on),
        }
      }),
  }
}

function charts(result: SpellsResult): Section[] {
  const [{ horizons }, ...others] = result.symbols
  if (others.length > 0) return [stateChart(result)]
  return [
    stateChart(result),
    intervalChart(
      { id: 'aroundChart', title: 'Mean return after starts and ends', note: '95 % intervals' },
      horizons.map(({ horizon }) => plainPlural(horizon, 'bar')),
      {
        Starts: horizons.map(({ starts }) => meanInterval(starts)),
        Ends: horizons.map(({ ends }) => meanInterval(ends)),
        'Any time': horizons.map(({ all }) => meanInterval(all)),
      },
      'share',
    ),
  ]
}

const figuresOf = ({ length, share, dropped }: SymbolResult): Section => ({
  ...{ kind: 'figures', id: 'figures', title: 'Figures' },
  figures: [
    figure('spells', 'Spells', 'count', length.n, 'Spells that are long enough'),
    figure('share', 'On', 'percentFigure', share, 'Share of the bars with a value that lie in spells'),
    figure('median', 'Median bars', 'figure', length.median, 'Median length of the spells'),
    figure('max', 'Longest', 'count', length.max, 'Bars of the longest spell'),
    figure('dropped', 'Too short', 'count', dropped, 'Spells that are shorter than asked for'),
  ],
})

export function sections(result: SpellsResult): Section[] {
  const { symbols } = result
  const [first, ...others] = symbols
  return [
    summary('Spells of a state, each symbol by itself; returns after a spell is known to have begun, or to be over.'),
    ...(others.length > 0 ? [] : [figuresOf(first)]),
    ...charts(result),
    symbolTable(symbols),
    aroundTable(symbols),
    spellTable(symbols),
    ...moveTables(result),
    others.length === 0
      ? attritionTable(first.attrition)
      : table(
          { id: 'attrition', title: 'Attrition', note: 'Every cell counts once' },
          [symbolColumn<SymbolResult>(), ...reasonColumns<SymbolResult>(symbols)],
          symbols,
        ),
  ]
}
