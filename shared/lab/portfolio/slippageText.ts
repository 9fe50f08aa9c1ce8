import type { PortfolioStudy } from '../kinds/portfolio/fields.ts'

/** Names the model by which a tested portfolio pays slippage. */
export function slippageText({ slippage }: PortfolioStudy['costs']): string {
  if ('bps' in slippage) return `Slippage: ${slippage.bps} bps of each trade`
  if ('perNotional' in slippage) return `Slippage: trade² × ${slippage.perNotional}`
  return `Slippage: trade × ${slippage.k} × ${slippage.sigma} × √(trade / volume)`
}
