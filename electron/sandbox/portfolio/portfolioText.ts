import type { PortfolioBody } from './answerPortfolio.ts'

/** A missing value as services written in Python send it, which is no JSON: `NaN` where the body has null. */
export function portfolioText(body: PortfolioBody, hasNanLiterals: boolean): string {
  const text = JSON.stringify(body)
  return hasNanLiterals ? text.replace(/(?<=[[,:])null(?=[\],}])/g, 'NaN') : text
}
