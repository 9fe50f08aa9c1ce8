import type { Score } from '#shared/contract/areas/ledger.ts'
import { evidenceText, type ForwardState } from '#shared/lab/forward/forwardScore.ts'
import { plural } from '#shared/units/plurals.ts'

const years = (days: number): string => `${(days / 365).toFixed(1)} years`

export type TrialFilter = 'all' | ForwardState

const states: Record<ForwardState, string> = {
  waiting: 'Waiting',
  running: 'Running',
  supported: 'Supported',
  killed: 'Killed',
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
  summary: ({ sequence, days, evidence, expectedDays, killed, supported, state }: Score) =>
    [
      `Entry ${sequence}: ${states[state].toLowerCase()}, ${plural(days, 'forward day')}`,
      killed && `killed on ${killed}`,
      supported && `supported on ${supported}`,
      evidence !== null && `evidence ${evidenceText(evidence)}`,
      expectedDays !== null && `a true Sharpe ratio of the recorded size needs about ${years(expectedDays)}`,
    ]
      .filter(Boolean)
      .join('; '),
  curve: {
    title: 'Forward days over what was expected',
    definition:
      'Sum of the daily net returns since the run was recorded. The band is what the recorded mean and deviation expect: mean · days ± 1.96 · deviation · √days.',
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
  ...(['waiting', 'running', 'supported', 'killed'] as const).map((value) => ({ value, title: states[value] })),
]
