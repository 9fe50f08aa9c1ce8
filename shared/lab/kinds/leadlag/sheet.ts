import { column, type Section, type SheetTable, table } from '#shared/sheet/sheet.ts'
import type { ResultOf } from '../../runStudy.ts'
import { attritionTable, figure, numberColumns, summary, testFigures, testLine } from '../sections.ts'
import { plural } from '#shared/units/plurals.ts'
import { durationOfBars, nothingUsedText, ratioText, unansweredText } from '../verdicts.ts'

type Pair = ResultOf<'leadlag'>['pairs'][number]

const SIGNIFICANT = 0.05

/** Tells whether the strongest lag of a pair is more than chance. */
const isBeyondChance = (pair: Pair): pair is Pair & { best: NonNullable<Pair['best']> } =>
  pair.best !== null && (pair.best.q ?? 1) <= SIGNIFICANT

export const leading = ['summary', 'pairs']

/** The answer in one sentence, from the strongest pair that is not a test at lag 0. */
export function verdict(result: ResultOf<'leadlag'>): string {
  const unanswered = unansweredText(result)
  if (unanswered !== null) return unanswered
  const { tests, pairs, attrition, study } = result
  if (attrition.used === 0) return nothingUsedText(attrition)
  if (tests.count === 0) return 'There is no answer: no pair has enough rows in common for a test.'
  const scanned = `${plural(tests.count, 'test')} of ${plural(pairs.length, 'pair')}`
  const sure = pairs.filter(isBeyondChance)
  const leads = sure.filter(({ best }) => best.lag !== 0)
  if (leads.length === 0) {
    const also = sure.length === 0 ? '' : `; ${plural(sure.length, 'pair moves', 'pairs move')} together, at lag 0`
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
      cell('q', 'q', 'probability', ({ best }) => best?.q),
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
  const pairsAt = (isAt: (lag: number) => boolean) => pairs.filter(isBeyondChance).filter(({ best }) => isAt(best.lag))
  const pairFigure = (id: string, name: string, isAt: (lag: number) => boolean, what: string) =>
    figure(id, name, 'count', pairsAt(isAt).length, `Pairs that are strongest at a lag ${what} (q ≤ ${SIGNIFICANT})`)
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
        pairFigure(
          'firstLeads',
          'First leads',
          (lag) => lag > 0,
          'above 0, beyond chance, where the first symbol of the pair moves before the second',
        ),
        pairFigure(
          'secondLeads',
          'Second leads',
          (lag) => lag < 0,
          'below 0, beyond chance, where the second symbol of the pair moves before the first',
        ),
        pairFigure(
          'together',
          'Move together',
          (lag) => lag === 0,
          'of 0, beyond chance, so that neither symbol leads the other',
        ),
      ],
    },
    pairTable(pairs),
    lagTable(pairs),
    attritionTable(attrition),
  ]
}
