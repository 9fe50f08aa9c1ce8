import type { DatasetComputation } from '../datasetComputation.ts'
import * as plan from '../expressions.ts'
import type { MetricPlan } from '../plan.ts'
import { isChanged } from './changedValues.ts'

const usPerDay = 86_400_000_000

/** Plan of the funding dataset; `interval_seconds` is a column that every plan has after gaps are filled. */
const fundingPlan: MetricPlan = {
  parts: [
    {
      name: 'rates',
      source: 'funding_rate',
      reads: ['funding_rate'],
      asOf: [],
      steps: [plan.define('Previous rate of the same UTC day', { rate_before: plan.before('funding_rate', 'day') })],
      values: { rate_last: plan.last('funding_rate'), updates: plan.count(isChanged('funding_rate', 'rate_before')) },
    },
  ],
  afterFill: [],
  columns: {
    funding_rate: plan.value('rate_last'),
    funding_rate_update_frequency: plan.ratio(plan.orZero('updates'), 'interval_seconds'),
    funding_rate_avg_update_interval: plan.ratio('interval_seconds', 'updates'),
  },
}

export const funding: DatasetComputation = {
  dataset: 'funding',
  reads: { funding_rate: ['value'] },
  needsWholeDay: true,
  plan: fundingPlan,
  create: () => {
    let day = NaN
    let rateBefore = NaN
    return ({ startUs, endUs, inside }, row) => {
      const { value } = inside('funding_rate')
      const intervalDay = Math.floor(startUs / usPerDay)
      // The first event of a day counts as an update, because NaN differs from every rate.
      if (intervalDay !== day) rateBefore = NaN
      day = intervalDay
      let updateCount = 0
      for (let i = 0; i < value.length; i++) {
        if (value[i] !== rateBefore) updateCount++
        rateBefore = value[i]
      }
      const seconds = (endUs - startUs) / 1e6
      row[0] = rateBefore
      row[1] = updateCount / seconds
      row[2] = updateCount === 0 ? NaN : seconds / updateCount
    }
  },
}
