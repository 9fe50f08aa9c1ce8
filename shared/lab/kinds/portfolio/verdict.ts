import { formatPercent } from '#shared/units/numbers.ts'
import { zonedTime } from '#shared/units/instants.ts'
import { numberText } from '#shared/units/numberKinds.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import type { PortfolioResult } from '../../portfolio/testResult.ts'
import { amountKeys, annualisedSharpe, type Judgement, judge } from './testStatistics.ts'

/** Says in one sentence what a test earned or lost and from what, and in a second one how much of it may be luck. */
export function verdict(result: PortfolioResult): string {
  const judgement = judge(result)
  const { ruin, walkForward, study, days } = result
  switch (judgement) {
    case 'noTraining':
      return `No fold could be trained: the signal reaches back so far that ${plainPlural(walkForward?.purgeDays ?? 0, 'day before each fold is', 'days before each fold are')} left out of training, and none remain.`
    case 'ruin':
      return `Ruined at ${zonedTime(ruin?.time ?? 0, 'utc')}: all capital was lost, and the test ends there.`
    case 'neverHeld':
      return 'It never held a position: no decision gave a weight that could be traded, for the reasons under Attrition.'
    default: {
      if (days.length === 0) return 'There is no day with a return to judge.'
      return `${resultText(result, study.capital)} ${luckText(judgement, result)}`
    }
  }
}

const shareText = (share: number): string => formatPercent(Math.abs(share), 1)

const verbs = {
  price: ['prices earned', 'prices lost'],
  funding: ['funding earned', 'funding cost'],
  fee: ['fees', 'fees'],
  spread: ['spread', 'spread'],
  slippage: ['slippage', 'slippage'],
} as const

/** The result in per cent of the capital, and the parts that it is the sum of; parts below 0.05 % are left out. */
function resultText({ costs }: PortfolioResult, capital: number): string {
  const total = costs.total / capital
  if (!Number.isFinite(total)) return 'Its result is not a number.'
  const parts = amountKeys.flatMap((key) => {
    const share = costs[key] / capital
    if (!(Math.abs(share) >= 0.0005)) return []
    return [`${verbs[key][share > 0 ? 0 : 1]} ${shareText(share)}`]
  })
  const head = total < 0 ? `It lost ${shareText(total)} %` : `It earned ${shareText(total)} %`
  return parts.length === 0 ? `${head} of the capital.` : `${head} of the capital: ${parts.join(', ')}.`
}

function luckText(judgement: Judgement, { overfitting, figures }: PortfolioResult): string {
  const { trials, deflated, expectedMaximum } = overfitting
  const sharpe = numberText('figure', figures.net.sharpe) ?? '–'
  const luckiest = numberText('figure', annualisedSharpe(expectedMaximum)) ?? '–'
  const ofTrials = `the best of ${plainPlural(trials, 'trial')} reaches ${luckiest} by luck`
  const chance = numberText('estimate', deflated) ?? '–'
  switch (judgement) {
    case 'none':
      return 'There are too few days to judge it.'
    case 'lostToCosts':
      return `Its costs exceeded the gain: Sharpe ${sharpe} after costs, ${numberText('figure', figures.gross.sharpe) ?? '–'} before them.`
    case 'lost':
      return `Sharpe ${sharpe}, and no better before costs.`
    case 'first':
      return `Sharpe ${sharpe}, the first trial of its family: nothing to deflate yet.`
    case 'strong':
      return `Sharpe ${sharpe} is more than luck explains: ${ofTrials}, deflated Sharpe ${chance}.`
    default:
      return `Sharpe ${sharpe} may be luck: ${ofTrials}, deflated Sharpe ${chance}.`
  }
}
