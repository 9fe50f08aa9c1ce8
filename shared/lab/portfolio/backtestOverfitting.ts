import { varies } from '../samples.ts'

/** Probability of backtest overfitting by combinatorially symmetric cross-validation. */
export interface BacktestOverfitting {
  blocks: number
  splits: number
  rowsPerBlock: number
  days: number
  trials: number
  /** Fraction of splits in which the best in-sample trial is not above the out-of-sample median. */
  pbo: number
  /** Slope of a regression of the out-of-sample on the in-sample Sharpe ratio of the best trial in each split. */
  slope: number | null
  /** Intercept of this regression. */
  intercept: number | null
  /** Fraction of splits in which the best in-sample trial loses out of sample. */
  lossShare: number
  /** Logit of the out-of-sample rank of the best in-sample trial, by split. */
  logits: number[]
}

/** Moments of a trial's returns by block. */
interface BlockMoments {
  means: Float64Array
  /** Sums of squared deviations from the mean of the block. */
  squares: Float64Array
  low: Float64Array
  high: Float64Array
}

/**
 * Computes the probability of backtest overfitting of trials on the same days; null for fewer than 2 trials or 2 rows
 * per block.
 * @param returns daily returns by trial, in the order of the ledger
 */
export function backtestOverfitting(returns: readonly Float64Array[], blocks: number): BacktestOverfitting | null {
  const days = returns[0]?.length ?? 0
  const rowsPerBlock = Math.floor(days / blocks)
  if (returns.length < 2 || rowsPerBlock < 2) return null
  const trials = returns.map((values) => blockMoments(values.subarray(days % blocks), blocks, rowsPerBlock))
  const splits = combinationsOfSize(blocks, blocks / 2).map((inSampleBlocks) =>
    judgeSplit(trials, inSampleBlocks, blocks, rowsPerBlock),
  )
  const count = splits.length
  const line = leastSquares(
    splits.map(({ inSample }) => inSample),
    splits.map(({ outOfSample }) => outOfSample),
  )
  return {
    blocks,
    splits: count,
    rowsPerBlock,
    days: blocks * rowsPerBlock,
    trials: returns.length,
    pbo: splits.filter(({ logit }) => logit <= 0).length / count,
    ...line,
    lossShare: splits.filter(({ outOfSample }) => outOfSample < 0).length / count,
    logits: splits.map(({ logit }) => logit),
  }
}

/** Lists all combinations of `take` numbers below `count` in lexicographic order. */
export function combinationsOfSize(count: number, take: number): number[][] {
  const combinations: number[][] = []
  const extend = (chosen: number[], next: number) => {
    if (chosen.length === take) return void combinations.push(chosen)
    for (let each = next; each <= count - (take - chosen.length); each++) extend([...chosen, each], each + 1)
  }
  extend([], 0)
  return combinations
}

function blockMoments(values: Float64Array, blocks: number, rowsPerBlock: number): BlockMoments {
  const perBlock = (reduce: (block: Float64Array) => number) =>
    Float64Array.from({ length: blocks }, (_, block) =>
      reduce(values.subarray(block * rowsPerBlock, (block + 1) * rowsPerBlock)),
    )
  const meanOf = (block: Float64Array) => block.reduce((sum, value) => sum + value, 0) / rowsPerBlock
  return {
    means: perBlock(meanOf),
    squares: perBlock((block) => {
      const mean = meanOf(block)
      return block.reduce((sum, value) => sum + (value - mean) ** 2, 0)
    }),
    low: perBlock((block) => Math.min(...block)),
    high: perBlock((block) => Math.max(...block)),
  }
}

/**
 * Computes the Sharpe ratio of a trial over the chosen blocks; 0 if its returns are constant there. Adds up the chosen
 * blocks instead of subtracting the others from a total, because a huge return in a subtracted block would leave only
 * rounding errors.
 */
function sharpeOver(
  { means, squares, low, high }: BlockMoments,
  chosen: readonly number[],
  rowsPerBlock: number,
): number {
  let sum = 0
  let squareSum = 0
  let least = Infinity
  let most = -Infinity
  for (const block of chosen) {
    sum += means[block]
    squareSum += squares[block]
    if (low[block] < least) least = low[block]
    if (high[block] > most) most = high[block]
  }
  if (!varies(Float64Array.of(least, most))) return 0
  const mean = sum / chosen.length
  for (const block of chosen) squareSum += rowsPerBlock * (means[block] - mean) ** 2
  return mean / Math.sqrt(squareSum / (chosen.length * rowsPerBlock - 1))
}

function judgeSplit(
  trials: readonly BlockMoments[],
  inSampleBlocks: readonly number[],
  blocks: number,
  rowsPerBlock: number,
) {
  const outOfSampleBlocks = Array.from({ length: blocks }, (_, block) => block).filter(
    (block) => !inSampleBlocks.includes(block),
  )
  let bestIndex = 0
  let highest = -Infinity
  trials.forEach((trial, at) => {
    const sharpe = sharpeOver(trial, inSampleBlocks, rowsPerBlock)
    if (sharpe <= highest) return
    highest = sharpe
    bestIndex = at
  })
  const bestOutOfSample = sharpeOver(trials[bestIndex], outOfSampleBlocks, rowsPerBlock)
  let below = 0
  let equal = 0
  for (const trial of trials) {
    const sharpe = sharpeOver(trial, outOfSampleBlocks, rowsPerBlock)
    if (sharpe < bestOutOfSample) below++
    else if (sharpe === bestOutOfSample) equal++
  }
  const rank = below + (equal + 1) / 2
  const isMiddle = 2 * rank === trials.length + 1
  return {
    inSample: highest,
    outOfSample: bestOutOfSample,
    logit: isMiddle ? 0 : Math.log(rank / (trials.length + 1 - rank)),
  }
}

function leastSquares(x: readonly number[], y: readonly number[]) {
  if (!varies(Float64Array.from(x))) return { slope: null, intercept: null }
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const meanX = mean(x)
  const meanY = mean(y)
  let products = 0
  let squares = 0
  x.forEach((value, at) => {
    products += (value - meanX) * (y[at] - meanY)
    squares += (value - meanX) ** 2
  })
  const slope = products / squares
  return { slope, intercept: meanY - slope * meanX }
}
