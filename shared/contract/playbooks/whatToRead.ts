/** What one reads off the board of a playbook, by its id; its note and the guide say it. */
export const whatToRead: Readonly<Record<string, readonly string[]>> = {
  'order-flow': [
    'Delta and price apart: prices that rise on negative delta were lifted by quotes, not by buyers.',
    'IC beside “would have seen”: an IC below that figure says nothing, in either direction.',
    'The buckets: a signal that works rises or falls from the first to the last tenth; one odd bucket is noise.',
  ],
  'top-of-book': [
    'Spread in basis points: half of it is what a market order pays at once.',
    'Imbalance above 0: more on the bid than on the ask.',
    'The horizon at which the IC is gone: an effect of one bar must pay the spread every bar.',
  ],
  'column-screen': [
    'Family p: the chance that the best of everything tried reaches this z where nothing is there.',
    'IC of the first part beside IC: a line that was right only where it was chosen has learnt the past.',
    'Sharpe after costs: many sure lines do not earn their spread.',
  ],
  'arrival-clock': [
    'Shift: how far the arrival clock moves a value on average, in deviations of the column; 0 where both agree.',
    'Correlation of the clocks: a column at 0.99 can be trusted by either.',
    'Only exchange, only arrival: bars that one clock has and the other lacks.',
  ],
  derivatives: [
    'Price up and open interest up: new positions. Price up and open interest down: shorts that close.',
    'Funding follows basis: funding that stays high while the basis falls is about to fall too.',
    'Steps in open interest at a full hour are often a venue’s change of reporting, not a trade.',
  ],
  funding: [
    'A positive rate: longs pay shorts, once per period.',
    '0.01 % every 8 hours is about 11 % a year.',
    'Basis far from funding: the rate is capped, or is a mean over the period and still follows.',
  ],
  crowding: [
    'The change after an end beside that at any time: without the second, a falling month looks like a signal.',
    'The number of spells: below about twenty, an interval is all you have.',
    'The interval of each mean: one that includes 0 is no more than chance.',
  ],
  'liquidity-by-hour': [
    'What the chosen hours save on later days, in the unit of the spread, beside the mean of their day.',
    'The same hour of first and later days: only one that is cheap in both is a habit of the market.',
  ],
  slippage: [
    'The 95 % column beside the median: what a bad moment costs.',
    'Bias: the model minus what trades paid. Below 0, the model is too cheap.',
    'The hour with the lowest 95 %: cheap also when it goes wrong.',
  ],
  'portfolio-morning': [
    'Underwater: how far below its highest value the portfolio is, and since when.',
    'Last month beside worst month: is this unusual?',
    'Return beside the market’s: a long–short portfolio that moves with the market has an exposure it should not have.',
  ],
}
