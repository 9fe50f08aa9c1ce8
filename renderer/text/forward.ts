import type { Expectation, Score } from '#shared/contract/areas/ledger.ts'
import { killText } from '#shared/lab/forward/killCriterion.ts'
import { kindName, type LabKind } from '#shared/lab/kinds.ts'
import { evidenceText, type ForwardState } from '#shared/lab/forward/forwardScore.ts'
import { plural } from '#shared/units/plurals.ts'

/** Number of years from which on a tenth of a year says nothing. */
const MANY_YEARS = 10

const years = (days: number): string => `${(days / 365).toFixed(days < MANY_YEARS * 365 ? 1 : 0)} years`

/** State of a run as it is shown: one of which no day is ever scored does not wait. */
type ShownState = ForwardState | 'never'
export type TrialFilter = 'all' | ShownState

/** States of runs in the order in which they are listed. */
const stateOrder = ['waiting', 'running', 'supported', 'killed', 'never'] as const satisfies readonly ShownState[]

export const shownState = ({ state, never }: Pick<Score, 'state' | 'never'>): ShownState =>
  never === null ? state : 'never'

const states: Record<ShownState, string> = {
  waiting: 'Waiting',
  running: 'Running',
  supported: 'Supported',
  killed: 'Killed',
  never: 'Not scored',
}

/** Says how a run stands: “supported on 2026-10-01, killed on 2026-11-20 (sharpe < 0 after 60d)”. */
function stateText(score: Score): string {
  const { supported, killed, kill } = score
  const events = [
    supported && `supported on ${supported}`,
    killed && `killed on ${killed}${kill === null ? '' : ` (${killText(kill)})`}`,
  ].filter(Boolean)
  return events.length === 0 ? states[shownState(score)].toLowerCase() : events.join(', ')
}

/** Texts about what was expected of tests, and what came. */
export const forwardText = {
  columns: {
    expects: 'Expected',
    forwardDays: 'Forward days',
    forward: 'Forward Sharpe or IC',
    evidence: 'Evidence',
    state: 'State',
    states: 'Later days',
  },
  note: 'Open a run to see its later days over what was expected',
  scoring: 'Scoring later days …',
  close: 'Close',
  states,
  filter: 'State',
  all: 'All',
  /** Evidence, with how long even a true Sharpe ratio of the recorded size would need; empty where none ever comes. */
  evidence: ({ evidence, expectedDays, never }: Pick<Score, 'evidence' | 'expectedDays' | 'never'>) =>
    never === null
      ? [evidenceText(evidence), expectedDays === null ? null : `needs ${years(expectedDays)}`]
          .filter(Boolean)
          .join(', ')
      : '',
  summary: (score: Score) => {
    const { sequence, days, evidence, expectedDays, never } = score
    return [
      `Entry ${sequence}: ${stateText(score)}, ${plural(days, 'forward day')}`,
      never,
      never === null && evidence !== null && `evidence ${evidenceText(evidence)}`,
      never === null &&
        expectedDays !== null &&
        `a true Sharpe ratio of the recorded size needs about ${years(expectedDays)}`,
    ]
      .filter(Boolean)
      .join('; ')
  },
  /** Said of an entry that has no score. */
  noScore: (sequence: number, kind: LabKind | null) =>
    kind === null
      ? `Entry ${sequence} is no run, so there is nothing to score.`
      : `Entry ${sequence}: a ${kindName(kind)} has no figures of single days, so it is not scored on later ones.`,
  curve: {
    title: 'Forward days over what was expected',
    definition:
      'Sum of the daily net returns since the run was recorded. The band is what the recorded mean and deviation expect: mean · days ± 1.96 · deviation · √days.',
  },
  icCurve: {
    title: 'Forward samples over what was expected',
    definition:
      'Sum of the rank ICs of the samples that ended since the study was recorded. The band is what the recorded mean and deviation expect: mean · samples ± 1.96 · deviation · √samples.',
  },
  marks: { band: 'Expected, 95 %', expected: 'Expected', came: 'Came' },
  register: {
    open: 'Register what you expect',
    hint: 'Written to the ledger before the first run, with the condition that refutes it. Optional.',
    expect: 'Expected',
    expectations: { up: 'Up', down: 'Down', none: 'Nothing', text: 'In words' },
    words: 'In words',
    kill: 'Refuted by',
    killExample: 'sharpe < 0 after 60d',
    note: 'Note',
    act: 'Register',
    cancel: 'Cancel',
    late: (sequence: number) => `Entry ${sequence}: too late, this study had been run before`,
    wasRun: 'This study was run before: what is registered now is late and does not count.',
    registered: ({ sequence, expect, kill, note }: NonNullable<Expectation['registered']>) =>
      [`Registered as entry ${sequence}: ${expect}`, kill && `refuted by ${killText(kill)}`, note]
        .filter(Boolean)
        .join('; '),
  },
  calibration: {
    tab: 'How good are my tests',
    scatter: {
      title: 'Forward against recorded Sharpe ratio',
      definition: 'Each point is a trial with at least 60 forward days; the line is the least-squares line.',
    },
    axis: 'Recorded Sharpe ratio',
    points: 'Forward Sharpe ratio',
    line: 'Least squares',
    provenance: 'Ledger of this machine',
    none: 'No test has 60 forward days yet',
    noneBody:
      'This page compares the Sharpe ratio that each test was recorded with to the one of the days that came after. Days are scored by themselves once their files are here; figures need ten tests with 60 such days.',
    toTrials: 'See the tests that are running',
  },
} as const

/** Lists the states by which runs are filtered, with how many are in each. */
export function filterOptions(scores: readonly Score[]): { value: TrialFilter; title: string }[] {
  const counts = countsOf(scores)
  const numbered = (title: string, count: number) => (count === 0 ? title : `${title} ${count}`)
  return [
    { value: 'all', title: forwardText.all },
    ...stateOrder.map((value) => ({ value, title: numbered(states[value], counts.get(value) ?? 0) })),
  ]
}

/** Says how many runs are in each state, first what was decided: “2 supported, 18 killed, 30 running”. */
export function statesText(scores: readonly Score[]): string {
  const counts = countsOf(scores)
  return (['supported', 'killed', 'running', 'waiting', 'never'] as const)
    .flatMap((state) => (counts.has(state) ? [`${counts.get(state)} ${states[state].toLowerCase()}`] : []))
    .join(', ')
}

const countsOf = (scores: readonly Score[]): Map<ShownState, number> =>
  new Map([...Map.groupBy(scores, shownState)].map(([state, own]) => [state, own.length]))
