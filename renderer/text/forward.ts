import type { Score } from '#shared/contract/areas/ledger.ts'
import { kindName, type LabKind } from '#shared/lab/kinds.ts'
import { evidenceText, type ForwardState } from '#shared/lab/forward/forwardScore.ts'
import { plural } from '#shared/units/plurals.ts'

const years = (days: number): string => `${(days / 365).toFixed(1)} years`

/** State of a run as it is shown: one of which no day is ever scored does not wait. */
type ShownState = ForwardState | 'never'
export type TrialFilter = 'all' | ShownState

export const shownState = ({ state, never }: Pick<Score, 'state' | 'never'>): ShownState =>
  never === null ? state : 'never'

const states: Record<ShownState, string> = {
  waiting: 'Waiting',
  running: 'Running',
  supported: 'Supported',
  killed: 'Killed',
  never: 'Not scored',
}

/** Texts about what was expected of tests, and what came. */
export const forwardText = {
  columns: {
    expects: 'Expected',
    forwardDays: 'Forward days',
    forward: 'Forward Sharpe or IC',
    evidence: 'Evidence',
    state: 'State',
  },
  states,
  filter: 'State',
  all: 'All',
  /** Evidence, with how long even a true Sharpe ratio of the recorded size would need. */
  evidence: (evidence: number | null, expectedDays: number | null) =>
    [evidenceText(evidence), expectedDays === null ? null : `needs ${years(expectedDays)}`].filter(Boolean).join(', '),
  summary: (score: Score) => {
    const { sequence, days, evidence, expectedDays, killed, supported, never } = score
    return [
      `Entry ${sequence}: ${states[shownState(score)].toLowerCase()}, ${plural(days, 'forward day')}`,
      never,
      killed && `killed on ${killed}`,
      supported && `supported on ${supported}`,
      evidence !== null && `evidence ${evidenceText(evidence)}`,
      expectedDays !== null && `a true Sharpe ratio of the recorded size needs about ${years(expectedDays)}`,
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
    done: (sequence: number) => `Entry ${sequence}: registered`,
    late: (sequence: number) => `Entry ${sequence}: too late, this study had been run before`,
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
  },
} as const

export const filterOptions: readonly { value: TrialFilter; title: string }[] = [
  { value: 'all', title: forwardText.all },
  ...(['waiting', 'running', 'supported', 'killed', 'never'] as const).map((value) => ({
    value,
    title: states[value],
  })),
]
