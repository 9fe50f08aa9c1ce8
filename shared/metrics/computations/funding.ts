import type { DatasetComputation } from '../datasetComputation.ts'

const usPerDay = 86_400_000_000

export const funding: DatasetComputation = {
  dataset: 'funding',
  reads: { funding_rate: ['value'] },
  needsWholeDay: true,
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
