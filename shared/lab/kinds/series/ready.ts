import { type ReadyGround, type ReadyStudy } from '../readyGround.ts'

/** How crowded a market is: the mean rank of funding, basis and the change of open interest within a week. */
export const CROWDING =
  '(rank(funding.funding_rate, 2016, 504) + rank(basis.basis_bps, 2016, 504) + rank(diff(open_interest.open_interest), 2016, 504)) / 3'

/** Funding that a long has paid at the funding times of the last week; below 0 where it has received more. */
const FUNDING_PAID = 'sum(settled(funding.funding_rate), 2016, 1)'

export const ready = ({ sourceOf, leader, range }: ReadyGround): ReadyStudy[] => [
  {
    id: 'toxicity-deciles',
    name: 'Toxicity deciles',
    description: 'What follows bars of toxic flow, from the least toxic tenth to the most?',
    document: {
      ...range('5m'),
      kind: 'series',
      name: 'Toxicity deciles',
      source: sourceOf([leader]),
      signal: 'flow.flow_toxicity_score',
      horizons: [1, 12, 72],
    },
  },
  {
    id: 'crowding-score',
    name: 'Crowding score',
    description: 'What follows when funding, basis and open interest are high at once?',
    document: {
      ...range('5m'),
      kind: 'series',
      name: 'Crowding score',
      source: sourceOf([leader]),
      signal: CROWDING,
      horizons: [12, 72, 288],
      thresholds: [0.5, 0.7, 0.8, 0.9],
    },
  },
  {
    id: 'funding-paid',
    name: 'Funding paid and received',
    description: 'What follows when a long has paid much funding within a week, or has received it?',
    document: {
      ...range('5m'),
      kind: 'series',
      name: 'Funding paid and received',
      source: sourceOf([leader]),
      signal: FUNDING_PAID,
      horizons: [96, 288, 864],
      window: 4032,
      warmUp: 2016,
      thresholds: [0, 0.001, 0.002, 0.004],
    },
  },
  {
    id: 'top-of-book',
    name: 'Top of the book',
    description: 'Does the imbalance of the best bid and ask tell the return of the next bars?',
    document: {
      ...range('5m'),
      kind: 'series',
      name: 'Top of the book',
      source: sourceOf([leader]),
      signal: 'l1_imbalance.imbalance_ratio',
      horizons: [1, 3, 12],
    },
  },
]
