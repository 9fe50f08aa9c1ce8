import type { FamilyEntries, FamilyEntry, LedgerFamily, LedgerOverview } from '#shared/contract/areas/ledger.ts'
import type { TrialPreview } from '#shared/contract/areas/lab.ts'
import { parsePortfolioStudy } from '#shared/lab/parseStudy.ts'
import { formulasOf } from '#shared/lab/kinds.ts'
import { sourceName } from '#shared/lab/kinds/blend/fields.ts'
import { StudyError } from '#shared/lab/studyError.ts'
import type { RecordedRun } from '#shared/lab/portfolio/testProvenance.ts'
import { countCombinations } from '#shared/lab/portfolio/parameterGrid.ts'
import {
  expectedMaximum,
  probabilisticSharpe,
  sharpeSample,
  sharpeVariance,
} from '#shared/lab/portfolio/sharpeStatistics.ts'
import { trialDistribution } from '#shared/lab/portfolio/trialDistribution.ts'
import { quantileOf } from '#shared/lab/samples.ts'
import { DAYS_PER_YEAR } from '#shared/portfolio/figures.ts'
import type { Ledger } from '#core/store/ledger/ledger.ts'
import { returnsFromBytes } from '#core/store/ledger/ledgerEntry.ts'
import type { CountedTrial, LastResets, LedgerTables, StoredEntry } from '#core/store/ledger/ledgerTables.ts'
import { documentHash, familyOf, type RecordedStudy, scopeOf } from '#core/store/ledger/studyIdentity.ts'

const ANNUAL_FACTOR = Math.sqrt(DAYS_PER_YEAR)
const annualised = (sharpe: number | null) => sharpe && sharpe * ANNUAL_FACTOR

/** Maximum number of entries of a family that the app lists. */
const MOST_ENTRIES = 5000

/** Describes the ledger for a window of the app. */
export function overviewOf(ledger: Ledger): Omit<LedgerOverview, 'copyPath'> {
  const { tables } = ledger
  const trials = tables.countedTrials()
  const byFamily = Map.groupBy(trials, ({ family }) => family)
  const lastReset = tables.lastReset()
  return {
    entries: tables.count(),
    trials: tables.countTrials(),
    // Includes studies that are no trials, and families whose trials all precede the last reset: their runs remain.
    families: tables
      .families()
      .flatMap((family) => describeFamily(tables, family, byFamily.get(family) ?? []) ?? [])
      .sort((a, b) => b.lastTime - a.lastTime),
    distribution: distributionAt(tables, trials, tables.lastRiskFree()),
    reset: lastReset?.event === 'reset' ? { time: lastReset.time, reason: lastReset.reason } : null,
    lost: ledger.lost(),
    notices: [...ledger.notices],
  }
}

const distributionAt = (tables: LedgerTables, trials: readonly CountedTrial[], riskFree: number) =>
  trialDistribution(trials.map((trial) => ({ days: trial.days, sharpe: tables.sharpeAt(trial, riskFree) })))

function describeFamily(tables: LedgerTables, family: string, trials: readonly CountedTrial[]): LedgerFamily | null {
  const lastRun = tables.lastRunOf(family)
  if (!lastRun) return null
  const idea = ideaOf(lastRun.study)
  const { riskFree } = idea
  const sharpeByTrial = trials.map((trial) => tables.sharpeAt(trial, riskFree))
  const sharpes = Float64Array.from(sharpeByTrial.flatMap((sharpe) => sharpe ?? [])).sort()
  const times = trials.map(({ time }) => time)
  return {
    family,
    kind: lastRun.kind,
    name: lastRun.study.name,
    signal: idea.signal,
    rule: idea.rule,
    interval: idea.interval,
    runs: tables.countRuns(family),
    trials: trials.length,
    best: annualised(sharpes.at(-1) ?? null),
    median: annualised(quantileOf(sharpes, 0.5)),
    bestDeflated: deflatedBest(tables, trials, { sharpeByTrial, riskFree }),
    firstTime: times[0] ?? lastRun.time,
    lastTime: Math.max(lastRun.time, ...times.slice(-1)),
    holdout: holdoutOf(tables, family),
  }
}

interface Idea {
  signal: string
  rule: string
  interval: string
  riskFree: number
}

/** What all runs of a family try: formulas and their rule, or a blend of components. */
function ideaOf(study: RecordedStudy): Idea {
  if (study.kind === 'blend') {
    const signal = study.components.map(({ from }) => sourceName(from)).join(' + ')
    return { signal, rule: 'blend', interval: '1d', riskFree: 0 }
  }
  if (study.kind === 'portfolio') {
    const { signal, weights, interval, riskFree } = study
    return { signal, rule: weights.rule, interval, riskFree }
  }
  const formulas = formulasOf(study).map(({ formula }) => formula)
  return { signal: [...new Set(formulas)].join('; '), rule: '', interval: study.interval, riskFree: 0 }
}

/** Computes the deflated Sharpe ratio of a family's best trial; null if none has a Sharpe ratio. */
function deflatedBest(
  tables: LedgerTables,
  trials: readonly CountedTrial[],
  { sharpeByTrial, riskFree }: { sharpeByTrial: readonly (number | null)[]; riskFree: number },
): number | null {
  const best = sharpeByTrial.reduce<number>(
    (found, sharpe, at) => ((sharpe ?? -Infinity) > (sharpeByTrial[found] ?? -Infinity) ? at : found),
    0,
  )
  const returnsSha256 = trials.at(best)?.returnsSha256 ?? null
  const bytes = returnsSha256 === null ? null : tables.returns(returnsSha256)
  if (!bytes) return null
  const sharpeDeviation = Math.sqrt(sharpeVariance(sharpeByTrial))
  return probabilisticSharpe(
    sharpeSample(returnsFromBytes(bytes), riskFree),
    sharpeDeviation * expectedMaximum(trials.length),
  )
}

function holdoutOf(tables: LedgerTables, family: string): { fromDay: string; opened: boolean } | null {
  const fromDay = tables.earliestHoldout(family)
  return fromDay === null ? null : { fromDay, opened: tables.isHoldoutOpened(family) }
}

/** Lists the entries of a family, the latest first, and the distribution of its counted trials. */
export function familyEntries({ tables }: Ledger, family: string): FamilyEntries {
  const lastResets = tables.lastResets()
  const latestFirst = [...tables.entries(family)].reverse()
  return {
    entries: latestFirst.slice(0, MOST_ENTRIES).map((stored) => ({
      ...familyEntry(stored, lastResets),
      expect: expectOf(tables, stored),
    })),
    isCut: latestFirst.length > MOST_ENTRIES,
    distribution: distributionAt(tables, tables.countedTrials({ family }), tables.lastRiskFree(family)),
  }
}

/** What an entry expects: a registration itself, or a run by the registration that it names. */
function expectOf(tables: LedgerTables, { entry, chain }: StoredEntry): string | null {
  if (entry.event === 'registered') return entry.expect
  const registration = entry.event === 'run' ? (entry.registration ?? null) : null
  const found = registration === null ? null : tables.inChain(chain, registration)
  return found?.entry.event === 'registered' ? found.entry.expect : null
}

function familyEntry({ entry, position, chain }: StoredEntry, lastResets: LastResets): Omit<FamilyEntry, 'expect'> {
  const run = entry.event === 'run' ? entry : null
  const isOld = lastResets.others.some((other) => other.chain === chain && entry.sequence < other.sequence)
  const { days = null, sharpe = null, totalReturn = null, maxDrawdown = null, ruined = false } = run?.summary ?? {}
  return {
    sequence: entry.sequence,
    hash: entry.hash,
    time: entry.time,
    who: entry.who,
    role: run?.role ?? entry.event,
    kind: run?.kind ?? null,
    isTrial: run?.isTrial ?? false,
    repeats: run?.repeats ?? null,
    isMerged: chain !== '',
    counts: position > lastResets.position && !isOld,
    name: run?.study.name ?? null,
    signal: run ? ideaOf(run.study).signal : '',
    sharpe: annualised(sharpe),
    days,
    totalReturn,
    maxDrawdown,
    ruined,
    openedFromDay: entry.event === 'holdoutOpened' ? entry.holdoutFromDay : null,
  }
}

/** Tells which trial a test would become; null if its document is invalid. */
export function previewOf({ tables }: Ledger, document: unknown, fromCache: boolean): TrialPreview | null {
  let study
  try {
    study = parsePortfolioStudy(document, { fromCache })
  } catch (error) {
    if (error instanceof StudyError) return null
    throw error
  }
  const hash = documentHash(study)
  const family = familyOf(study)
  const familyCount = tables.countedTrials({ family }).length
  const days = [tables.earliestHoldout(family), study.holdout?.fromDay].flatMap((day) => day ?? [])
  const sealedFromDay = days.sort()[0] ?? null
  const isOpened = tables.isHoldoutOpened(family)
  return {
    first: familyCount + 1,
    count: study.parameters ? countCombinations(study.parameters) : 1,
    recorded: study.parameters ? tables.countInterrupted(hash) : 0,
    family,
    familyTrials: familyCount,
    trialsOnSource: tables.countTrials(scopeOf(study)),
    trialsInLedger: tables.countTried(),
    repeats: tables.trialOfDocument(hash, isOpened ? null : sealedFromDay),
    holdout: sealedFromDay === null ? null : { fromDay: sealedFromDay, opened: isOpened },
  }
}

/** Describes the last run of a document, for the provenance of its exports. */
export function recordedRun(tables: LedgerTables, hash: string): RecordedRun | null {
  const entry = tables.lastRunOfDocument(hash)
  return entry && { sequence: entry.sequence, time: entry.time, hash: entry.hash, inputs: entry.inputs }
}
