import type { PortfolioBody } from './answerPortfolio.ts'

/**
 * Serialises a response; missing values can be written as `NaN`, which services written in Python send although it is
 * not JSON.
 */
export function portfolioText(body: PortfolioBody, hasNanLiterals: boolean): string {
  const text = JSON.stringify(body)
  return hasNanLiterals ? text.replace(/(?<=[[,:])null(?=[\],}])/g, 'NaN') : text
}
