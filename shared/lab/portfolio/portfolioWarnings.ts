import type { StudyWarning, WarningCode } from '../studyWarnings.ts'
import { warning as studyWarning } from '../studyWarnings.ts'

/** Warnings of tested portfolios in the order in which a result lists them; null takes the message of studies. */
const messages = {
  'source-unused': null,
  'duplicate-rows': null,
  'no-delay': 'delayBars is 0: positions are traded at the price that the signal may have seen.',
  'no-decision': 'No decision was traded within the range, so there are no figures.',
  'funding-unknown': 'A part of the funding is unknown.',
  'spread-unknown': 'The spread of some trades is unknown; net is without it.',
  'slippage-unknown': 'The slippage of some trades is unknown; net is without it.',
  untraded: 'Some targets could not be traded because the symbol had no price.',
  settled: 'Some positions were closed at their last price because it had been missing for too long.',
  'cap-short': 'In some decisions the cap left a part of the exposure unplaced.',
  ruined: 'The portfolio lost all of its capital; the test ends there.',
  'not-linear': 'A symbol is not settled in its quote currency; its profit and loss are computed as if it were.',
  'volume-unit':
    'The volume of a venue counts contracts; participation and slippage by size are not in quote currency.',
  'mixed-units': null,
  'modelled-time': null,
  'not-downloaded': null,
} as const

export type PortfolioWarningCode = keyof typeof messages

export interface PortfolioWarning {
  code: PortfolioWarningCode
  message: string
}

const order = Object.keys(messages) as PortfolioWarningCode[]

export const portfolioWarning = (code: PortfolioWarningCode, detail = ''): PortfolioWarning => ({
  code,
  message: detail || messages[code] || studyWarning(code as WarningCode).message,
})

/** Sorts warnings in the order of the codes and keeps the first of each code. */
export const sortPortfolioWarnings = (warnings: readonly (PortfolioWarning | StudyWarning)[]): PortfolioWarning[] =>
  order.flatMap((code) => {
    const found = warnings.find((one) => one.code === code)
    return found ? [{ code, message: found.message }] : []
  })
