import { joinNumbers } from '../../../statistics/joinNumbers.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { hourOf, weekdayOf } from '../../calendar.ts'
import { correlate } from '../../pairs.ts'
import { type StudyGrid, timeAt } from '../../panel.ts'
import { estimateOf, type Estimate, meanOf, quantileOf, ROUNDING_FRACTION, varies } from '../../samples.ts'
import { StudyError } from '../../studyError.ts'
import type { KindRun } from '../../studyInput.ts'
import { memberValues } from '../../memberValues.ts'
import type { ScheduleStudy } from './fields.ts'

type Part = 'calibrate' | 'evaluate'

/** What a part says of a group: the number of its values, and their statistic, null for too few of them. */
interface GroupValue {
  n: number
  value: number | null
}

interface Group extends Record<Part, GroupValue> {
  hour: number
  /** Absent where groups are hours. */
  weekday?: number
  chosen: 'best' | 'worst' | null
}

interface ScheduleValues {
  n: number
  mean: number | null
  median: number | null
}

export function run({ study, panel, evaluate, onStage, checkpoint }: KindRun<ScheduleStudy>) {
  const calendar = calendarOf(panel, study)
  const value = evaluate({ field: 'value', formula: study.value })
  const second = study.second === null ? null : evaluate({ field: 'second', formula: study.second })
  onStage('calendar', 0)
  const symbols = panel.symbols.map((symbol, at) => {
    checkpoint()
    onStage('calendar', at / panel.symbols.length)
    const own = memberValues(panel, value, at)
    return {
      symbol,
      attrition: own.attrition,
      days: calendar.days,
      ...scheduleOf(study, calendar, own.values, second && memberValues(panel, second, at).values),
    }
  })
  return { result: { symbols }, warnings: [] }
}

/** Where each time of the grid belongs. */
interface Calendar {
  /** Numbers of UTC days in both parts. */
  days: Record<Part, number>
  /** First time of the evaluation. */
  evaluateFrom: number
  /** Group of each time. */
  groups: Uint8Array
  /** UTC day of each time, counted from the first. */
  dayOfTime: Int32Array
}

const HOURS = 24

function calendarOf(grid: StudyGrid, { by, calibrateDays }: ScheduleStudy): Calendar {
  const { timeCount } = grid
  const dayAt = (time: number) => Math.floor(timeAt(grid, time) / MS_PER_DAY)
  const firstDay = dayAt(0)
  const all = dayAt(timeCount - 1) - firstDay + 1
  const calibrate = calibrateDays ?? Math.floor(all / 2)
  if (calibrate > all)
    throw new StudyError('calibrateDays', `must be at most ${all}, the number of UTC days that the rows span.`)
  const groups = new Uint8Array(timeCount)
  const dayOfTime = new Int32Array(timeCount)
  let evaluateFrom = timeCount
  for (let time = timeCount - 1; time >= 0; time--) {
    const timeMs = timeAt(grid, time)
    groups[time] = hourOf(timeMs) + (by === 'hour' ? 0 : HOURS * (weekdayOf(timeMs) - 1))
    dayOfTime[time] = Math.floor(timeMs / MS_PER_DAY) - firstDay
    if (dayOfTime[time] >= calibrate) evaluateFrom = time
  }
  return { days: { calibrate, evaluate: all - calibrate }, evaluateFrom, groups, dayOfTime }
}

const GROUPS = 7 * HOURS

/** Puts the present values of some times into the lists of their groups. */
function valuesByGroup(values: Float64Array, groups: Uint8Array, from: number, to: number): Float64Array[] {
  const counts = new Int32Array(GROUPS)
  for (let time = from; time < to; time++) if (values[time] === values[time]) counts[groups[time]]++
  const lists = Array.from(counts, (count) => new Float64Array(count))
  counts.fill(0)
  for (let time = from; time < to; time++) {
    const value = values[time]
    if (value === value) lists[groups[time]][counts[groups[time]]++] = value
  }
  return lists
}

const medianOf = (values: Float64Array): number | null => quantileOf(values.slice().sort(), 0.5)

/** Mean that is exact for equal values: rounding must not order groups that cost the same. */
const orderedMeanOf = (values: Float64Array): number | null =>
  varies(values) ? meanOf(values) : (values.at(0) ?? null)

function scheduleOf(
  study: ScheduleStudy,
  calendar: Calendar,
  values: Float64Array,
  second: Float64Array | null,
): {
  groups: Group[]
  schedules: Record<'best' | 'worst', ScheduleValues & { difference: Estimate }> & { uniform: ScheduleValues }
  persistence: { n: number; spearman: number | null }
  agreement: { n: number; spearman: number | null } | null
} {
  const { evaluateFrom, groups: groupOfTime } = calendar
  const statistic = study.statistic === 'median' ? medianOf : orderedMeanOf
  const groupValue = (own: Float64Array): GroupValue => ({
    n: own.length,
    value: own.length < study.minBars ? null : statistic(own),
  })
  const calibrated = valuesByGroup(values, groupOfTime, 0, evaluateFrom)
  const evaluated = valuesByGroup(values, groupOfTime, evaluateFrom, values.length)
  const keys = calibrated.flatMap((own, key) => (own.length + evaluated[key].length > 0 ? [key] : []))
  const byKey = new Map(
    keys.map((key) => [key, { calibrate: groupValue(calibrated[key]), evaluate: groupValue(evaluated[key]) }]),
  )
  const chosen = choose(study, byKey)
  const secondByGroup = second && valuesByGroup(second, groupOfTime, 0, evaluateFrom).map(groupValue)
  const scheduled = (which: 'best' | 'worst') => {
    const own = new Set(chosen[which])
    return {
      ...describe(evaluated.filter((_, key) => own.has(key))),
      difference: estimateOf(dailyDifferences(values, calendar, own)),
    }
  }
  const inOrder = [...byKey.values()]
  return {
    groups: [...byKey].map(([key, parts]) => ({
      ...(study.by === 'hourWeekday' && { weekday: Math.floor(key / HOURS) + 1 }),
      hour: key % HOURS,
      ...parts,
      chosen: chosen.best.includes(key) ? 'best' : chosen.worst.includes(key) ? 'worst' : null,
    })),
    schedules: { best: scheduled('best'), worst: scheduled('worst'), uniform: describe(evaluated) },
    persistence: rankAgreement(inOrder.map(({ calibrate, evaluate }) => [calibrate.value, evaluate.value])),
    agreement:
      secondByGroup &&
      rankAgreement(secondByGroup.map(({ value }, key) => [byKey.get(key)?.calibrate.value ?? null, value])),
  }
}

/** Chooses the best and the worst groups by their calibrated statistic, of equal ones those that come first. */
function choose({ better, best: wanted }: ScheduleStudy, byKey: ReadonlyMap<number, Record<Part, GroupValue>>) {
  const known = [...byKey].flatMap(([key, { calibrate }]) =>
    calibrate.value === null ? [] : [{ key, value: calibrate.value }],
  )
  const sign = better === 'low' ? 1 : -1
  const ordered = known.sort((a, b) => sign * (a.value - b.value) || a.key - b.key).map(({ key }) => key)
  const count = Math.min(wanted, Math.floor(ordered.length / 2))
  return { best: ordered.slice(0, count), worst: ordered.slice(ordered.length - count) }
}

function describe(lists: readonly Float64Array[]): ScheduleValues {
  const all = joinNumbers(lists)
  return { n: all.length, mean: meanOf(all), median: medianOf(all) }
}

/** Mean of some groups minus the mean of all cells, one number for each day of the evaluation that has both. */
function dailyDifferences(
  values: Float64Array,
  { days, evaluateFrom, groups, dayOfTime }: Calendar,
  own: ReadonlySet<number>,
): Float64Array {
  const isOwn = Uint8Array.from({ length: GROUPS }, (_, key) => (own.has(key) ? 1 : 0))
  const all = { sums: new Float64Array(days.evaluate), counts: new Int32Array(days.evaluate) }
  const some = { sums: new Float64Array(days.evaluate), counts: new Int32Array(days.evaluate) }
  for (let time = evaluateFrom; time < values.length; time++) {
    const value = values[time]
    if (value !== value) continue
    const day = dayOfTime[time] - days.calibrate
    all.sums[day] += value
    all.counts[day]++
    if (!isOwn[groups[time]]) continue
    some.sums[day] += value
    some.counts[day]++
  }
  const differences = new Float64Array(days.evaluate)
  let count = 0
  for (let day = 0; day < days.evaluate; day++) {
    if (some.counts[day] === 0) continue
    const mean = all.sums[day] / all.counts[day]
    const difference = some.sums[day] / some.counts[day] - mean
    // What is left of two equal means is rounding, which must not look like a tiny difference that varies.
    differences[count++] = Math.abs(difference) <= ROUNDING_FRACTION * Math.abs(mean) ? 0 : difference
  }
  return differences.subarray(0, count)
}

/** Rank correlation of the pairs in which both are known. */
function rankAgreement(pairs: readonly (readonly [number | null, number | null])[]) {
  const known = pairs.filter((pair): pair is readonly [number, number] => pair[0] !== null && pair[1] !== null)
  const n = known.length
  const { spearman } = correlate(
    Float64Array.from(known, ([x]) => x),
    Float64Array.from(known, ([, y]) => y),
  )
  return { n, spearman: n < 3 ? null : spearman }
}
