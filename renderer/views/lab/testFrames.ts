import type { FamilyEntry, LedgerFamily } from '#shared/contract/areas/ledger.ts'
import type { FundingRow } from '#shared/funding/fundingRows.ts'
import type { ReturnsComparison } from '#shared/lab/portfolio/compareReturns.ts'
import type { PortfolioResult } from '#shared/lab/portfolio/testResult.ts'
import { figures } from '#shared/portfolio/figures.ts'
import { figureKind, numberText, unitLabel } from '#shared/units/numberKinds.ts'
import { testFieldChoices, testText } from '../../text/labTests.ts'
import { type LabTable, numberCells, tableOf, textCells, timeCells } from './labFrames.ts'
import { symbolWidthPx } from './symbolNames.ts'
import { amountKeys, foldSharpes, parameterText, symbolBase, annualisedSharpe } from './testFigures.ts'

const { tables: t, series, trials: trialText } = testText

const TITLE_CHARACTER_PX = 8
const widthOfTitle = (title: string): number => Math.min(260, Math.max(110, 24 + TITLE_CHARACTER_PX * title.length))

/**
 * Builds the table of the figures of a test: with costs, without costs and, if the exposure is scaled, without the
 * scaling. A comparison adds its own figures on the common days and, if the test has more days than these, the figures
 * of the test on the common days.
 */
export function tearSheetTable(
  { figures: { net, gross }, unscaled, days }: PortfolioResult,
  compared: (Pick<ReturnsComparison, 'test' | 'other' | 'days'> & { label: string }) | null,
): LabTable {
  const figureTexts = (values: Readonly<Record<string, number | null>>) =>
    figures.map(({ id, unit }) => {
      const shown = numberText(figureKind(unit), values[id] ?? null)
      return shown === null ? '–' : [shown, unitLabel(unit)].filter(Boolean).join(' ')
    })
  const column = (key: string, title: string, values: Readonly<Record<string, number | null>>) => ({
    ...textCells(key, title, figureTexts(values), 110),
  })
  return tableOf([
    textCells(
      'figure',
      t.figure,
      figures.map(({ name }) => name),
      170,
    ),
    column('net', series.net, net),
    column('gross', series.gross, gross),
    ...(unscaled ? [column('without', series.without, unscaled.net)] : []),
    ...(compared && compared.days < days.length ? [column('common', series.netOnCommonDays, compared.test)] : []),
    ...(compared
      ? [textCells('compared', compared.label, figureTexts(compared.other), widthOfTitle(compared.label))]
      : []),
    textCells(
      'definition',
      t.meaning,
      figures.map(({ formula }) => formula),
      420,
      900,
    ),
  ])
}

/** Builds the table of the funding periods behind a test. */
export function fundingTable(rows: readonly FundingRow[]): LabTable {
  const texts = (key: 'symbol' | 'every' | 'basis', none: string) => rows.map((row) => row[key] ?? none)
  return tableOf([
    textCells('symbol', t.symbol, texts('symbol', ''), 240),
    timeCells(
      'from',
      t.foldColumns.from,
      rows.map(({ from }) => from),
    ),
    timeCells(
      'to',
      t.foldColumns.to,
      rows.map(({ to }) => to),
    ),
    textCells('every', t.every, texts('every', t.unknownPeriod), 100),
    textCells('basis', t.basis, texts('basis', '–'), 120),
  ])
}

export function testSymbolTable({ symbols }: PortfolioResult): LabTable {
  const rows = [...symbols].sort((a, b) => b.total - a.total)
  const amountCells = (key: 'total' | 'traded' | (typeof amountKeys)[number]) =>
    numberCells(
      key,
      series[key],
      rows.map((row) => row[key]),
      'notional',
    )
  const names = rows.map(({ symbol }) => symbol)
  return tableOf([
    textCells('symbol', t.symbol, names, symbolWidthPx(names)),
    amountCells('total'),
    ...amountKeys.map(amountCells),
    amountCells('traded'),
    numberCells(
      'barsHeld',
      t.barsHeld,
      rows.map(({ barsHeld }) => barsHeld),
      'count',
    ),
  ])
}

/** Lists the days, newest first. */
export function dayTable({ days, net, gross, equity, amounts, exposure }: PortfolioResult): LabTable {
  const newestFirst = <Value>(values: readonly Value[]) => [...values].reverse()
  return tableOf([
    textCells('day', t.day, newestFirst(days), 100),
    numberCells('net', series.net, newestFirst(net), 'share'),
    numberCells('gross', series.gross, newestFirst(gross), 'share'),
    numberCells('equity', t.equity, newestFirst(equity), 'notional'),
    ...[...amountKeys, 'traded' as const].map((key) =>
      numberCells(key, series[key], newestFirst(amounts[key]), 'notional'),
    ),
    numberCells('exposure', testText.figures.exposure.title, newestFirst(exposure.gross), 'ratio'),
  ])
}

export function worstDayTable({ worstDays }: PortfolioResult): LabTable {
  const largestWeightTexts = worstDays.map(({ weights, positions }) =>
    [
      ...weights.map(({ symbol, weight }) => `${symbolBase(symbol)} ${numberText('percentFigure', weight)} %`),
      positions > weights.length ? '…' : '',
    ]
      .filter(Boolean)
      .join(', '),
  )
  return tableOf([
    textCells(
      'day',
      t.day,
      worstDays.map(({ day }) => day),
      100,
    ),
    numberCells(
      'net',
      series.net,
      worstDays.map(({ net }) => net),
      'share',
    ),
    numberCells(
      'positions',
      t.positions,
      worstDays.map(({ positions }) => positions),
      'count',
    ),
    textCells('largest', t.largest, largestWeightTexts, 620),
  ])
}

/** Formats an overfitting figure; most are counts, without decimals, or probabilities. */
const overfittingText = (value: unknown): string =>
  typeof value === 'number' ? (numberText(Number.isInteger(value) ? 'count' : 'statistic', value) ?? '–') : '–'

/** Lists every overfitting figure with its definition. */
export function luckTable({ overfitting }: PortfolioResult): LabTable {
  const { pbo, ...rest } = overfitting
  const values: Record<string, unknown> = { ...rest, pbo: pbo?.pbo ?? null, lossShare: pbo?.lossShare ?? null }
  const rows = Object.entries(testText.luck)
  return tableOf([
    textCells(
      'figure',
      t.figure,
      rows.map(([, [name]]) => name),
      230,
    ),
    textCells(
      'value',
      t.value,
      rows.map(([key]) => overfittingText(values[key])),
      110,
    ),
    textCells(
      'meaning',
      t.meaning,
      rows.map(([, [, meaning]]) => meaning),
      460,
    ),
  ])
}

export function foldTable(result: PortfolioResult): LabTable | null {
  const { walkForward } = result
  if (!walkForward) return null
  const { folds } = walkForward
  const { foldColumns: names } = t
  return tableOf([
    textCells(
      'from',
      names.from,
      folds.map(({ fromDay }) => fromDay),
      100,
    ),
    textCells(
      'to',
      names.to,
      folds.map(({ toDay }) => toDay),
      100,
    ),
    numberCells(
      'trainDays',
      names.trainDays,
      folds.map(({ trainDays }) => trainDays),
      'count',
    ),
    textCells(
      'chosen',
      names.chosen,
      folds.map(({ chosen }) => (chosen ? parameterText(chosen) : '–')),
      160,
    ),
    numberCells(
      'train',
      names.train,
      folds.map(({ trainSharpe }) => annualisedSharpe(trainSharpe)),
      'figure',
    ),
    numberCells('test', names.test, foldSharpes(result), 'figure'),
  ])
}

/** Lists the combinations of a grid. */
export function gridTable({ walkForward, gridOutOfSample = [] }: PortfolioResult): LabTable | null {
  if (!walkForward) return null
  const { grid } = walkForward
  return tableOf([
    ...Object.keys(grid.at(0)?.parameters ?? {}).map((name) =>
      numberCells(
        `p.${name}`,
        testText.parameter(name),
        grid.map(({ parameters }) => parameters[name]),
        grid.every(({ parameters }) => Number.isInteger(parameters[name])) ? 'count' : 'statistic',
      ),
    ),
    numberCells(
      'test',
      t.foldColumns.test,
      grid.map((_, at) => annualisedSharpe(gridOutOfSample.at(at)?.sharpe ?? null)),
      'figure',
    ),
    numberCells(
      'sharpe',
      trialText.columns.sharpe,
      grid.map(({ sharpe }) => annualisedSharpe(sharpe)),
      'figure',
    ),
    numberCells(
      'deflated',
      t.deflated,
      grid.map(({ deflated }) => deflated),
      'figure',
    ),
    numberCells(
      'days',
      trialText.columns.days,
      grid.map(({ days }) => days),
      'count',
    ),
  ])
}

export function capacityTable({ capacity }: PortfolioResult): LabTable | null {
  if (!capacity) return null
  return tableOf([
    numberCells(
      'capital',
      t.capital,
      capacity.map(({ capital }) => capital),
      'notional',
    ),
    numberCells(
      'sharpe',
      series.sharpe,
      capacity.map(({ sharpe }) => sharpe),
      'figure',
    ),
    numberCells(
      'totalReturn',
      t.totalReturn,
      capacity.map(({ totalReturn }) => totalReturn),
      'share',
    ),
    numberCells(
      'participation',
      t.participation,
      capacity.map(({ maxParticipation }) => maxParticipation),
      'share',
    ),
    textCells(
      'ruined',
      t.ruined,
      capacity.map(({ ruined }) => (ruined ? trialText.yes : '')),
      80,
    ),
  ])
}

export function testAttritionTable({ attrition }: PortfolioResult): LabTable {
  const rows = Object.entries(attrition)
  return tableOf([
    textCells(
      'reason',
      t.figure,
      rows.map(([key]) => testText.attrition[key][0]),
      130,
    ),
    numberCells(
      'count',
      t.count,
      rows.map(([, count]) => count),
      'count',
    ),
    textCells(
      'meaning',
      t.meaning,
      rows.map(([key]) => testText.attrition[key][1]),
      460,
    ),
  ])
}

const holdoutText = (holdout: LedgerFamily['holdout']): string =>
  holdout === null ? '' : holdout.opened ? trialText.openedFrom(holdout.fromDay) : trialText.sealedFrom(holdout.fromDay)

/** Truncates a time to the second, because milliseconds of a run do not matter. */
const startOfSecond = (timeMs: number): number => timeMs - (timeMs % 1000)

/** Lists the families of the ledger; the column `id`, which is not shown, contains the hash of each. */
export function familyTable(families: readonly LedgerFamily[]): LabTable {
  const names = trialText.columns
  const column = (
    key: string,
    title: string,
    read: (family: LedgerFamily) => string,
    widthPx: number,
    widestPx?: number,
  ) => textCells(key, title, families.map(read), widthPx, widestPx)
  const sharpeCells = (key: 'best' | 'median' | 'bestDeflated', title: string) =>
    numberCells(
      key,
      title,
      families.map((family) => family[key]),
      'figure',
    )
  const table = tableOf([
    column('name', names.name, ({ name }) => name ?? '', 140),
    column('signal', names.signal, ({ signal }) => signal, 260, 640),
    column('rule', names.rule, ({ rule }) => testFieldChoices[rule] ?? rule, 80),
    column('interval', names.interval, ({ interval }) => interval, 74),
    numberCells(
      'trials',
      names.trials,
      families.map(({ trials }) => trials),
      'count',
    ),
    sharpeCells('best', names.best),
    sharpeCells('median', names.median),
    sharpeCells('bestDeflated', names.deflated),
    column('holdout', names.holdout, ({ holdout }) => holdoutText(holdout), 180),
    timeCells(
      'last',
      names.last,
      families.map(({ lastTime }) => startOfSecond(lastTime)),
    ),
    column('id', '', ({ family }) => family, 0),
  ])
  return { frame: table.frame, columns: table.columns.filter(({ key }) => key !== 'id') }
}

const whetherCountedText = ({ openedFromDay, isTrial, counts, repeats }: FamilyEntry): string =>
  openedFromDay !== null
    ? trialText.fromDay(openedFromDay)
    : isTrial
      ? counts
        ? trialText.yes
        : trialText.beforeReset
      : repeats === null
        ? trialText.notCounted
        : trialText.repeat(repeats)

/** Lists the entries of a family. */
export function trialTable(entries: readonly FamilyEntry[]): LabTable {
  const names = trialText.columns
  const column = (key: string, title: string, read: (entry: FamilyEntry) => string, widthPx: number) =>
    textCells(key, title, entries.map(read), widthPx)
  const figureCells = (
    key: 'sequence' | 'sharpe' | 'days' | 'totalReturn' | 'maxDrawdown',
    kind: 'count' | 'figure' | 'share',
  ) =>
    numberCells(
      key,
      names[key],
      entries.map((entry) => entry[key]),
      kind,
    )
  return tableOf([
    figureCells('sequence', 'count'),
    timeCells(
      'time',
      names.time,
      entries.map((entry) => startOfSecond(entry.time)),
    ),
    column('role', names.role, ({ role }) => trialText.roles[role] ?? role, 130),
    column('counts', names.counts, whetherCountedText, 120),
    figureCells('sharpe', 'figure'),
    figureCells('days', 'count'),
    figureCells('totalReturn', 'share'),
    figureCells('maxDrawdown', 'share'),
    column('name', names.test, ({ name }) => name ?? '', 150),
    column('signal', names.signal, ({ signal }) => signal, 260),
    column('who', names.who, ({ who }) => trialText.faces[who] ?? who, 100),
  ])
}
