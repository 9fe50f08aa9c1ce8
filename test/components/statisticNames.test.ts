import { expect, it } from 'vitest'
import { profileColumns } from '../../renderer/views/workbench/columnProfile.ts'
import { workbenchText } from '../../renderer/text/workbench.ts'

it('names figures of rows as quants do, the same in the column profile and in the statistics', () => {
  const titles = profileColumns.map(({ title }) => title)
  expect(titles).toEqual(expect.arrayContaining(['Min', 'Max', 'Std', 'Lag-1 ACF']))
  const { deviation, autocorrelation } = workbenchText.statistics
  expect(titles).toEqual(expect.arrayContaining([deviation, autocorrelation]))
})
