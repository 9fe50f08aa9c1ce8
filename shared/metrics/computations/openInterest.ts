import type { DatasetComputation } from '../datasetComputation.ts'
import { quotient } from '../quotient.ts'
import { deviation } from '../../statistics/moments.ts'
import { ChangedValues } from './changedValues.ts'

const percentChange = (from: number, to: number) => quotient(to - from, from) * 100

const percentChangeOver = (values: Float64Array) =>
  values.length === 0 ? NaN : percentChange(values[0], values[values.length - 1])

export const openInterest: DatasetComputation = {
  dataset: 'open_interest',
  reads: { open_interest: ['value'], mark_price: ['value'] },
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
