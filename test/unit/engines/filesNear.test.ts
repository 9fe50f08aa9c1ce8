import { describe, expect, it } from 'vitest'
import { filesNear } from '#core/engines/clickhouseSources.ts'

const days = (...list: number[]) => list.map((startDay) => ({ startDay, endDay: startDay + 1 }))
const near = (list: number[], needsPrevious: boolean, timestamp: 'exchange' | 'true') =>
  filesNear(days(...list), 20, needsPrevious, timestamp).map(({ startDay }) => startDay)

describe('files that a day needs', () => {
  it('are its own, and by arrival time those of the days around it', () => {
    expect(near([17, 18, 19, 20, 21, 22], false, 'exchange')).toEqual([20])
    expect(near([17, 18, 19, 20, 21, 22], false, 'true')).toEqual([19, 20, 21])
  })

  it('include the newest earlier one if earlier events carry over, however old it is', () => {
    expect(near([18, 19, 20, 21], true, 'exchange')).toEqual([19, 20])
    expect(near([3, 4, 20, 21], true, 'exchange')).toEqual([4, 20])
    expect(near([20, 21], true, 'exchange')).toEqual([20])
  })

  it('include by arrival time the file before that one, whose last event may arrive later', () => {
    expect(near([17, 18, 19, 20, 21], true, 'true')).toEqual([18, 19, 20, 21])
    expect(near([2, 3, 4, 20, 21], true, 'true')).toEqual([3, 4, 20, 21])
    expect(near([2, 4, 20], true, 'true')).toEqual([4, 20])
  })

  it('include a month that contains the day before, but not its other days', () => {
    const month = { startDay: -12, endDay: 20 }
    expect(filesNear([month, ...days(3, 20)], 20, true, 'exchange')).toEqual([month, ...days(20)])
  })
})
