import { weightRules } from '#shared/lab/kinds/portfolio/fields.ts'
import type { FamilyEntry, LedgerFamily, Score } from '#shared/contract/areas/ledger.ts'
import { kindName } from '#shared/lab/kinds.ts'
import { forwardText, shownState, statesText } from '../../text/forward.ts'
import { testText } from '../../text/labTests.ts'
import { type LabTable, numberCells, tableOf, textCells, timeCells } from './labFrames.ts'

const { trials: trialText } = testText

const holdoutText = (holdout: LedgerFamily['holdout']): string =>
  holdout === null ? '' : holdout.opened ? trialText.openedFrom(holdout.fromDay) : trialText.sealedFrom(holdout.fromDay)

/** Truncates a time to the second, because milliseconds of a run do not matter. */
const startOfSecond = (timeMs: number): number => timeMs - (timeMs % 1000)

/** Lists the families of the ledger; the column `id`, which is not shown, contains the hash of each. */
export function familyTable(
  families: readonly LedgerFamily[],
  scores: ReadonlyMap<string, Score> | null = null,
): LabTable {
  const names = trialText.columns
  const scoresByFamily = Map.groupBy(scores?.values() ?? [], ({ family }) => family)
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
    column('kind', names.kind, ({ kind }) => kindName(kind), 120),
    column('signal', names.signal, ({ signal }) => signal, 260, 640),
    column('rule', names.rule, ({ rule }) => weightRules[rule as keyof typeof weightRules] ?? rule, 80),
    column('interval', names.interval, ({ interval }) => interval, 74),
    ...(['runs', 'trials'] as const).map((key) =>
      numberCells(
        key,
        names[key],
        families.map((family) => family[key]),
        'count',
      ),
    ),
    column(
      'states',
      forwardText.columns.states,
      ({ family }) => statesText(scoresByFamily.get(family) ?? []),
      210,
      320,
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

/** Names what an entry is; a run of a study by its kind. */
const roleText = ({ role, kind }: FamilyEntry): string =>
  trialText.roles[role] ?? (kind === null ? role : kindName(kind))

/** Lists the entries of a family. */
export function trialTable(
  entries: readonly FamilyEntry[],
  scores: ReadonlyMap<string, Score> | null = null,
): LabTable {
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
  const scoreOf = ({ hash }: FamilyEntry) => scores?.get(hash)
  const forwardCells = (
    key: 'forwardDays' | 'forward',
    read: (score: Score) => number | null,
    kind: 'count' | 'figure',
  ) =>
    numberCells(
      key,
      forwardText.columns[key],
      entries.map((entry) => {
        const score = scoreOf(entry)
        return score ? read(score) : null
      }),
      kind,
    )
  const forwardColumn = (key: 'evidence' | 'state', read: (score: Score) => string, widthPx: number) =>
    column(
      key,
      forwardText.columns[key],
      (entry) => {
        const score = scoreOf(entry)
        return score ? read(score) : ''
      },
      widthPx,
    )
  return tableOf([
    figureCells('sequence', 'count'),
    timeCells(
      'time',
      names.time,
      entries.map((entry) => startOfSecond(entry.time)),
    ),
    column('role', names.role, roleText, 130),
    column('counts', names.counts, whetherCountedText, 120),
    figureCells('sharpe', 'figure'),
    column('expects', forwardText.columns.expects, ({ expect }) => expect ?? '', 90),
    forwardColumn('state', (score) => forwardText.states[shownState(score)], 90),
    forwardCells('forwardDays', ({ days }) => days, 'count'),
    forwardCells('forward', ({ sharpe, ic }) => sharpe ?? ic, 'figure'),
    forwardColumn('evidence', (score) => forwardText.evidence(score), 190),
    figureCells('days', 'count'),
    figureCells('totalReturn', 'share'),
    figureCells('maxDrawdown', 'share'),
    column('name', names.test, ({ name }) => name ?? '', 150),
    column('signal', names.signal, ({ signal }) => signal, 260),
    column('who', names.who, ({ who }) => trialText.faces[who] ?? who, 100),
  ])
}
