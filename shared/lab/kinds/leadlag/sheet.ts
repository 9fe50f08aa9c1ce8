import { column, type Section, type SheetTable, table } from '#shared/sheet/sheet.ts'
import type { ResultOf } from '../../runStudy.ts'
import { attritionTable, figure, numberColumns, summary, testFigures, testLine } from '../sections.ts'
import { plural } from '#shared/units/plurals.ts'
import { durationOfBars, nothingUsedText, ratioText, unansweredText } from '../verdicts.ts'

type Pair = ResultOf<'leadlag'>['pairs'][number]

const SIGNIFICANT = 0.05

export const leading = ['summary', 'pairs']

/** The answer in one sentence, from the strongest pair that is not a test at lag 0. */
export function verdict(result: ResultOf<'leadlag'>): string {
  const unanswered = unansweredText(result)
  if (unanswered !== null) return unanswered
  const { tests, pairs, attrition, study } = result
  if (attrition.used === 0) return nothingUsedText(attrition)
  if (tests.count === 0) return 'There is no answer: no pair has enough rows in common for a test.'
  const scanned = `${plural(tests.count, 'test')} of ${plural(pairs.length, 'pair')}`
  const leads = pairs.flatMap(({ a, b, best }) =>
    best && best.lag !== 0 && (best.q ?? 1) <= SIGNIFICANT ? [{ a, b, best }] : [],
  )
  if (leads.length === 0) {
    const together = pairs.filter(({ best }) => best?.lag === 0 && (best.q ?? 1) <= SIGNIFICANT).length
    const also = together === 0 ? '' : `; ${plural(together, 'pair moves', 'pairs move')} together, at lag 0`
    return `No symbol leads another: of ${scanned}, no pair is strongest at a lag beyond chance${also}.`
  }
  const [{ a, b, best }] = leads.toSorted((one, other) => Math.abs(other.best.r) - Math.abs(one.best.r))
  const [first, second] = best.lag > 0 ? [a, b] : [b, a]
  return `${first} leads ${second} by ${durationOfBars(Math.abs(best.lag), study.interval)} (r ${ratioText(best.r)}), the strongest of ${plural(leads.length, 'lead')} beyond chance in ${scanned}.`
}

const strengthOf = ({ best }: Pair) => Math.abs(best?.r ?? 0)
/** Pairs, the strongest first. */
export const rankedPairs = (pairs: readonly Pair[]): Pair[] =>
  pairs.toSorted((one, other) => strengthOf(other) - strengthOf(one))

const bestTest = ({ lags, best }: Pair) => lags.find(({ lag }) => lag === best?.lag)

function pairTable(pairs: readonly Pair[]): SheetTable {
  const cell = column<Pair>
  return table(
    { id: 'pairs', title: 'Pairs', note: 'Open a pair to see its correlation by lag' },
    [
      cell('a', 'a', 'text', ({ a }) => a),
      cell('b', 'b', 'text', ({ b }) => b),
      cell('lag', 'Best lag', 'count', ({ best }) => best?.lag),
      cell('r', 'r', 'ratio', ({ best }) => best?.r),
      cell('q', 'q', 'ratio', ({ best }) => best?.q),
      cell('n', 'n', 'count', (pair) => bestTest(pair)?.n),
      cell('effectiveN', 'Effective n', 'volume', (pair) => bestTest(pair)?.effectiveN),
    ],
    rankedPairs(pairs),
  )
}

function lagTable(pairs: readonly Pair[]): SheetTable {
  const rows = pairs.flatMap(({ a, b, lags }) => lags.map((lag) => ({ a, b, ...lag })))
  const cell = column<(typeof rows)[number]>
  return table(
    { id: 'lags', title: 'Lags' },
    [
      cell('a', 'a', 'text', ({ a }) => a),
      cell('b', 'b', 'text', ({ b }) => b),
      ...numberColumns({ lag: 'Lag', n: 'n' }, () => 'count'),
      ...numberColumns({ r: 'r', effectiveN: 'Effective n', t: 't', p: 'p', q: 'q' }, () => 'statistic'),
    ],
    rows,
  )
}

export function sections({ tests, pairs, attrition }: ResultOf<'leadlag'>): Section[] {
  /** Null for a large scan, of which a window does not receive every lag. */
  const lags = pairs.some((pair) => pair.lags.length === 0) ? null : pairs.flatMap((pair) => pair.lags)
  const significant = lags?.filter(({ q }) => q !== null && q <= SIGNIFICANT)
  const leads = (sign: number) => significant?.filter(({ lag }) => lag * sign > 0).length ?? null
  return [
    summary(
      testLine(tests),
      'Lags in bars: above 0, a leads b. r is their correlation, q its q-value (false-discovery rate).',
    ),
    {
      kind: 'figures',
      id: 'figures',
      title: 'Figures',
      figures: [
        ...testFigures(tests),
        figure(
          'firstLeads',
          'First leads',
          'count',
          leads(1),
          'Significant tests at lags above 0, where the first symbol of the pair moves before the second',
        ),
        figure(
          'secondLeads',
          'Second leads',
          'count',
          leads(-1),
          'Significant tests at lags below 0, where the second symbol of the pair moves before the first',
        ),
      ],
    },
    pairTable(pairs),
    lagTable(pairs),
    attritionTable(attrition),
  ]
}
