import type { GuideSection } from '../guideSection.ts'

const blend = `{
  "version": 1, "kind": "blend", "name": "Two factors", "start": "2025-01-01", "end": "2025-12-31",
  "components": [
    {"from": {"factor": "momentum.20"}, "weight": 2},
    {"from": {"portfolio": "carry_ls.20"}, "shape": "asIs"}
  ],
  "costBps": 5
}`

/** Blends, correlations, attribution and the plan of trades. */
export const bookSection: GuideSection = {
  id: 'book',
  title: 'The book: from factors to a list of trades',
  keywords:
    'plan trades orders rebalance positions lots aliases band edge blend mix factors correlations attribution beta own weights',
  blocks: [
    'The page [Book](/portfolios/book) mixes factors and portfolios, compares and explains their returns, and works out the trades from target weights and what you hold. Nothing is ever sent: you make the trades elsewhere.',
    { heading: 'Plan' },
    {
      list: [
        'Lots, least orders and multipliers of a symbol are typed once in [Settings → Instruments](/settings/instruments), or with `perpscope instruments rule`; a line of a file of lots or aliases wins over them.',
        'Weights are live or closing ones of a portfolio, the last row of a blend or a test, or a CSV `ticker,weight`. The page says how old weights and prices are, and whether an overlay is inside already.',
        'Positions are a CSV `symbol,units`, pasted or chosen, or the outcome of the last plan. Lots: `symbol,lot[,min_units]`; aliases: `ticker,symbol,multiplier`, such as `BONK,kBONK,1000`; prices: `ticker,price`, by default the last close of the service.',
        'A symbol trades when its weight is farther from the target than the band: to the target, or only to the edge of the band. A position without a target is closed whole. Every symbol that does not trade has its reason in the last column.',
        'The cost is half the last cached `l1_liquidity.spread_bps` of each ticker, or what you type in basis points; where neither is known, the cost is unknown, not 0.',
        'Change the capital, the band or the portfolio, and the plan is made again. “Report (HTML)” saves it as one file that `perpscope replay` computes again to the digit.',
      ],
    },
    {
      code: 'perpscope plan --weights live:momentum_ls.20 --capital 250000 --positions positions.csv --band 0.02 --json\nperpscope report plan --weights live:momentum_ls.20 --capital 250000 --positions positions.csv --out plan.html',
      language: 'Shell',
    },
    { heading: 'Blend' },
    'A blend is a study of kind `blend`. Each component is shaped (into bins, ranks or z-scores, or taken as it is), and their weighted mean is scaled to `gross`. The result shows the blend without each component; what it adds is the whole minus that. Every run is a trial in the ledger.',
    { code: blend, language: 'JSON' },
    {
      code: 'perpscope study run blend.json\nperpscope study compare ID --portfolio momentum_ls.20\nperpscope portfolio tearsheet --portfolio blend:ID',
      language: 'Shell',
    },
    { heading: 'Correlations and attribution' },
    {
      list: [
        'A series is `portfolio:ID`, `test:ID`, `blend:ID`, `own:NAME` or `price:TICKER`. `perpscope portfolio own add NAME FILE` keeps a CSV of returns, weights or prices under a name.',
        'Correlations: a heat map, in which similar series stand beside each other on request. A cell charts its two series with their rolling correlation.',
        'Attribution: betas with Newey–West errors; alpha and the contributions add up to the mean return of a year.',
      ],
    },
    {
      code: 'perpscope portfolio correlations portfolio:momentum_ls.20 portfolio:carry_ls.20 price:BTC --order linkage\nperpscope portfolio attribution portfolio:momentum_ls.20 --on price:BTC,price:ETH --rolling 90',
      language: 'Shell',
    },
  ],
}
