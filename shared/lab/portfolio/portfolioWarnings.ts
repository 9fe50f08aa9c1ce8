import {
  type CodedWarning,
  sortByCode,
  type StudyWarning,
  warning as studyWarning,
  type WarningCode,
} from '../studyWarnings.ts'

/**
 * Warnings of tested portfolios, in the order in which a result lists them. A code with null has the same message as in
 * a study.
 */
const messages = {
  'source-unused': null,
  'duplicate-rows': null,
  'never-traded': 'Decisions were made, but nothing was ever traded; this run does not count as a trial.',
  'no-delay': 'delayBars is 0: positions are traded at the price that the signal may have seen.',
  'no-decision': 'No decision was traded within the range, so there are no figures.',
  'funding-unknown': 'Part of the funding is unknown.',
  'funding-inferred': null,
  'funding-assumed': null,
  'funding-conflict': null,
  'spread-unknown': 'The spread of some trades is unknown; net excludes it.',
  'slippage-unknown': 'The slippage of some trades is unknown; net excludes it.',
  untraded: 'Some targets could not be traded because their symbols had no price.',
  settled: 'Some positions were closed at their last known price because their symbols had had no price for too long.',
  'cap-short': 'In some decisions the cap left part of the exposure unallocated.',
  screened: 'The signal is a formula that a screen tried.',
  ruined: 'The portfolio lost all of its capital; the test ends there.',
  'not-linear': 'A symbol is not settled in its quote currency; its profit and loss are computed as if it were.',
  'volume-unit':
    'The volume of a venue counts contracts; participation and slippage by size are not in quote currency.',
  'mixed-units': null,
  'modelled-time': null,
  'unknown-symbol': null,
  'not-downloaded': null,
} as const

type PortfolioWarningCode = keyof typeof messages
export type PortfolioWarning = CodedWarning<PortfolioWarningCode>

/** Builds a warning; `detail` replaces the default message. */
export const portfolioWarning = (code: PortfolioWarningCode, detail = ''): PortfolioWarning => ({
  code,
  message: detail || messages[code] || studyWarning(code as WarningCode).message,
})

export const sortPortfolioWarnings = (warnings: readonly (PortfolioWarning | StudyWarning)[]): PortfolioWarning[] =>
  sortByCode(Object.keys(messages) as PortfolioWarningCode[], warnings)
