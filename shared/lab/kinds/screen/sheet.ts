import {
  column,
  type ReadColumn,
  type Section,
  type SheetChart,
  type SheetHeat,
  type SheetTable,
  table,
} from '#shared/sheet/sheet.ts'
import { readableWidth } from '#shared/statistics/readableBins.ts'
import { formatNumber } from '#shared/units/numbers.ts'
import { plural } from '#shared/units/plurals.ts'
import type { ResultOf } from '../../runStudy.ts'
import { barChart } from '../charts.ts'
import { figure, summary } from '../sections.ts'
import type { Cell } from './openCell.ts'
import { noiseFacts } from './verdict.ts'

export { verdict } from './verdict.ts'

type Screen = ResultOf<'screen'>

export const leading = ['summary', 'best']

/** Number of rows that tables and heat maps show. */
const MOST_ROWS = 200
const MOST_HEAT_ROWS = 60

export function sections(result: Screen): Section[] {
  const { cells, best, study } = result
  return [
    summary(
      'z: rank correlation of the later part in the direction of the first one, times √(n − 1). Family p: chance that the best of everything tried reaches this z where nothing is there.',
      `q controls false discoveries whatever the dependence of the lines (Benjamini and Yekutieli). Sharpe ratios are after ${study.costBps} bps one way, on the later part.`,
    ),
    figureSection(result),
    ...noiseChart(result),
    lineTable(result, 'cells', 'Lines by z', cells),
    ...study.horizons.map((horizon) => heatOf(result, horizon)),
    lineTable(result, 'best', result.study.source ? 'Best of each dataset' : 'Best of each column', best),
    noiseTable(result),
    splitTable(result),
    leftOutTable(result),
  ]
}

function figureSection({ attrition, tests, cells, noise }: Screen): Section {
  const luck = noiseFacts(noise)
  return {
    kind: 'figures',
    id: 'figures',
    title: 'Figures',
    figures: [
      figure(
        'tried',
        'Lines tried',
        'count',
        attrition.used,
        'Symbols × columns × templates × horizons that can be judged',
      ),
      figure('best', 'Best z', 'ratio', cells.at(0)?.test.z ?? null, 'The largest z of all lines'),
      figure(
        'noise',
        'Best of noise',
        'ratio',
        luck?.mean ?? null,
        'Mean of the largest z over worlds in which returns are shifted in time',
      ),
      figure('highest', 'Highest of noise', 'ratio', luck?.highest ?? null, 'The largest z of all these worlds'),
      figure('chance', 'Chance', 'share', cells.at(0)?.test.familyP ?? null, 'Family p of the best line'),
      figure('family', 'Beyond noise', 'count', tests.family, 'Lines with a family p of at most 0.05'),
      figure(
        'significant',
        'Significant',
        'count',
        tests.significant,
        'Lines with q ≤ 0.05 after Benjamini and Yekutieli’s control over all lines',
      ),
    ],
  }
}

/** Distribution of the best of noise, with the winner in its place. */
function noiseChart({ noise, cells }: Screen): SheetChart[] {
  const values = noise.filter((value) => value !== null)
  const winner = cells.at(0)?.test.z
  if (values.length === 0 || winner === undefined) return []
  const width = binWidth(Math.max(...values, winner) - Math.min(...values, winner))
  const firstBin = Math.floor(Math.min(...values, winner) / width)
  const binOf = (value: number) => Math.floor(value / width) - firstBin
  const bins = Math.max(...values.map(binOf), binOf(winner)) + 1
  const names = Array.from({ length: bins }, (_, bin) => formatNumber((firstBin + bin) * width, width < 0.1 ? 2 : 1))
  const counts = names.map((_, bin) => values.filter((value) => binOf(value) === bin).length)
  const highest = Math.max(...counts)
  const chart = barChart('noise', 'Best of noise, and the winner', names, {
    'Best of noise': counts,
    Winner: names.map((_, bin) => (bin === binOf(winner) ? highest : null)),
  })
  const isWinner = (bin: number) => bin === binOf(winner)
  const line = {
    low: Float64Array.from(names, (_, bin) => (isWinner(bin) ? 0 : NaN)),
    high: Float64Array.from(names, (_, bin) => (isWinner(bin) ? highest : NaN)),
  }
  return [
    {
      ...chart,
      series: chart.series.map((one, at) => ({ ...one, kind: 'count' as const, ...(at === 1 && { interval: line }) })),
      note: `z of the best line in ${plural(noise.length, 'world')} without an effect, from each value on; the winner is marked`,
      keptName: binOf(winner),
      spoken: `The winner reaches ${formatNumber(winner, 1)}; ${plural(values.filter((value) => value >= winner).length, 'world')} of ${noise.length} reach as much.`,
    },
  ]
}

const MOST_BINS = 20
const LEAST_BIN_WIDTH = 0.05
const binWidth = (extent: number): number => readableWidth(Math.max(LEAST_BIN_WIDTH, extent / MOST_BINS))

function lineTable({ data }: Screen, id: string, title: string, lines: readonly Cell[]): SheetTable {
  const cell = column<Cell>
  const symbolColumns: ReadColumn<Cell>[] =
    data.symbols > 1 ? [cell('symbol', 'Symbol', 'text', ({ symbol }) => symbol)] : []
  const isCut = lines.length > MOST_ROWS
  return table(
    {
      id,
      title,
      ...(isCut && { note: `The first ${MOST_ROWS} of ${plural(lines.length, 'line')}; the data have all` }),
      empty: 'No line can be judged.',
    },
    [
      ...symbolColumns,
      cell('column', 'Column', 'text', (line) => line.column, { widthPx: 220 }),
      cell('template', 'Template', 'text', ({ template }) => template, { widthPx: 190 }),
      cell('horizon', 'Horizon', 'count', ({ horizon }) => horizon),
      cell('z', 'z', 'ratio', ({ test }) => test.z),
      cell('familyP', 'Family p', 'ratio', ({ test }) => test.familyP),
      cell('q', 'q', 'probability', ({ test }) => test.q),
      cell('direction', 'Direction', 'count', ({ direction }) => direction),
      cell('ic', 'IC', 'ratio', ({ test }) => test.ic),
      cell('trainIc', 'IC of the first part', 'ratio', ({ train }) => train.ic),
      cell('sharpe', 'Sharpe', 'ratio', ({ sharpe }) => sharpe),
      cell('grossSharpe', 'Sharpe before costs', 'ratio', ({ grossSharpe }) => grossSharpe),
      cell('turnover', 'Turnover a day', 'ratio', ({ turnover }) => turnover),
      cell('n', 'n', 'count', ({ test }) => test.n),
      cell('trainN', 'n of the first part', 'count', ({ train }) => train.n),
      cell('t', 't', 'ratio', ({ test }) => test.t),
      cell('p', 'p', 'probability', ({ test }) => test.p),
    ],
    lines.slice(0, MOST_ROWS),
  )
}

/** z by column and template, the columns with the best first; of several symbols, that of the best. */
function heatOf({ cells, study }: Screen, horizon: number): SheetHeat {
  const own = cells.filter((cell) => cell.horizon === horizon)
  const columns = [...new Set(own.map((cell) => cell.column))]
  const rows = columns.slice(0, MOST_HEAT_ROWS)
  const { templates } = study
  const values = new Float64Array(rows.length * templates.length).fill(NaN)
  const rowByColumn = new Map(rows.map((name, row) => [name, row]))
  for (const { column: name, template, test } of own) {
    const row = rowByColumn.get(name)
    if (row === undefined) continue
    const at = row * templates.length + templates.indexOf(template)
    if (Number.isNaN(values[at])) values[at] = test.z
  }
  const isCut = columns.length > rows.length
  return {
    kind: 'heat',
    id: `heat-${horizon}`,
    title: `z by column and template, ${plural(horizon, 'bar')}`,
    ...(isCut && { note: `The ${MOST_HEAT_ROWS} columns with the largest z of ${columns.length}` }),
    empty: 'No line can be judged.',
    choice: { group: 'heat', title: 'z by column and template', label: 'Horizon', option: plural(horizon, 'bar') },
    rowsTitle: 'Column',
    rows,
    columns: templates,
    values,
    valueKind: 'ratio',
  }
}

function noiseTable({ noise }: Screen): SheetTable {
  const rows = noise.map((value, at) => ({ shift: at + 1, value }))
  const cell = column<(typeof rows)[number]>
  return table(
    {
      id: 'worlds',
      title: 'Worlds without an effect',
      note: 'In each, the returns are shifted in time within the later part',
    },
    [cell('shift', 'Shift', 'count', ({ shift }) => shift), cell('z', 'Best z', 'ratio', ({ value }) => value)],
    rows,
  )
}

function splitTable({ split }: Screen): SheetTable {
  const cell = column<Screen['split']>
  return table(
    { id: 'split', title: 'Split', note: 'Directions come from the first part, scores from the later one' },
    [
      cell('time', 'Later part from', 'time', ({ time }) => time),
      cell('trainTimes', 'Times of the first part', 'count', ({ trainTimes }) => trainTimes),
      cell('testTimes', 'Times of the later part', 'count', ({ testTimes }) => testTimes),
    ],
    [split],
  )
}

const reasons: Readonly<Record<keyof Screen['attrition'], readonly [name: string, meaning: string]>> = {
  cells: ['All lines', 'Symbols × columns × templates × horizons'],
  tooFew: ['Too few samples', 'Fewer than 30 samples that do not overlap, in either part'],
  constant: ['Constant', 'The signal or the return does not vary in a part'],
  used: ['Used', 'Lines that are compared'],
}

function leftOutTable({ attrition }: Screen): SheetTable {
  const rows = Object.keys(reasons) as (keyof typeof reasons)[]
  const cell = column<keyof typeof reasons>
  return table(
    { id: 'attrition', title: 'Attrition' },
    [
      cell('reason', 'Reason', 'text', (reason) => reasons[reason][0], { widthPx: 130 }),
      cell('cells', 'Lines', 'count', (reason) => attrition[reason]),
      cell('meaning', 'Meaning', 'text', (reason) => reasons[reason][1], { widthPx: 330 }),
    ],
    rows,
  )
}
