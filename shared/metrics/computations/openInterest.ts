import type { DatasetComputation } from '../datasetComputation.ts'
import { quotient } from '../quotient.ts'
import { deviation } from '../../statistics/moments.ts'
import { ChangedValues, isChanged } from './changedValues.ts'
import * as plan from '../expressions.ts'
import type { MetricPlan } from '../plan.ts'

const percentChange = (from: number, to: number) => quotient(to - from, from) * 100

const percentChangeOver = (values: Float64Array) =>
  values.length === 0 ? NaN : percentChange(values[0], values[values.length - 1])

const percentChangeNode = (from: string, to: string) => plan.multiply(plan.ratio(plan.subtract(to, from), from), 100)
const interestChange = percentChangeNode('interest_first', 'interest_last')

const openInterestPlan: MetricPlan = {
  parts: [
    {
      name: 'interest',
      source: 'open_interest',
      reads: ['open_interest'],
      asOf: [],
      steps: [],
      values: { interest_first: plan.first('open_interest'), interest_last: plan.last('open_interest') },
    },
    {
      name: 'changes',
      source: 'open_interest',
      reads: ['open_interest'],
      asOf: [],
      steps: [
        plan.define('Value at the previous update', { interest_before: plan.before('open_interest') }),
        plan.keep('Only changed values count', isChanged('open_interest', 'interest_before')),
        plan.define('Previous changed value', { changed_before: plan.before('open_interest') }),
        plan.define('Percentage changes', { change: percentChangeNode('changed_before', 'open_interest') }),
        ...plan.centre('change'),
      ],
      values: { change_variance: plan.variance('change_distance') },
    },
    {
      name: 'marks',
      source: 'mark_price',
      reads: ['mark_price'],
      asOf: [],
      steps: [],
      values: { mark_first: plan.first('mark_price'), mark_last: plan.last('mark_price') },
    },
  ],
  afterFill: [],
  columns: {
    open_interest: plan.value('interest_last'),
    open_interest_pct_change: interestChange,
    open_interest_volatility: plan.sqrt('change_variance'),
    oi_price_change_ratio: plan.ratio(interestChange, percentChangeNode('mark_first', 'mark_last')),
  },
}

export const openInterest: DatasetComputation = {
  dataset: 'open_interest',
  reads: { open_interest: ['value'], mark_price: ['value'] },
  plan: openInterestPlan,
  create: () => {
    const changed = new ChangedValues()
    return ({ inside }, row) => {
      const { value } = inside('open_interest')
      changed.clear()
      for (let i = 0; i < value.length; i++) changed.add(value[i])
      const changes = new Float64Array(changed.count)
      let count = 0
      for (let i = 1; i < changed.count; i++) {
        const change = percentChange(changed.at(i - 1), changed.at(i))
        if (!Number.isNaN(change)) changes[count++] = change
      }
      row[0] = value[value.length - 1]
      row[1] = percentChangeOver(value)
      row[2] = deviation(changes, count)
      row[3] = quotient(row[1], percentChangeOver(inside('mark_price').value))
    }
  },
}
