import { lowerBound } from '../search.ts'
import type { NumberColumn } from '#shared/contract/frame.ts'
import type { DayNumber } from '#shared/time/periods.ts'
import { missingColumn, setCell, type DailyMatrix } from './dailySeries.ts'

export interface MembershipChange {
  day: DayNumber
  ticker: string
  change: 'joined' | 'left'
}

export interface TickerMembership {
  ticker: string
  /** Number of days as a member. */
  days: number
  firstDay: DayNumber
  lastDay: DayNumber
  /** True if the ticker is a member on the last day with data. */
  isIn: boolean
  /** Number of times that the ticker joined after the first day. */
  joins: number
  /** Ranges of rows in which the ticker is a member, ascending and disjoint. */
  ranges: RowRange[]
}

/** Rows from `from` to `to` (exclusive). */
export interface RowRange {
  from: number
  to: number
}

export interface UniverseHistory {
  days: Int32Array
  /** Number of members by day; missing on a day without data. */
  memberCounts: NumberColumn
  /**
   * Tickers that joined or left, newest first; on the same day, those that left come first. On a day without data
   * nobody leaves.
   */
  changes: MembershipChange[]
  /** All tickers that were ever members, longest membership first. */
  members: TickerMembership[]
}

/**
 * Tells whether a ticker is a member: its cell has a value other than 0. A missing cell means that there is no data.
 */
const isMember = ({ values, valid }: DailyMatrix, at: number) => valid[at] === 1 && values[at] !== 0

/**
 * Computes the membership of a universe over time. Yields once for each day, because hundreds of tickers over years
 * would freeze a window.
 */
export function* universeHistory(matrix: DailyMatrix): Generator<void, UniverseHistory, void> {
  const { days, tickers, valid } = matrix
  const width = tickers.length
  const memberCounts = missingColumn('size', days.length)
  const changes: MembershipChange[] = []
  const members = tickers.map((ticker): TickerMembership => ({
    ticker,
    days: 0,
    firstDay: 0,
    lastDay: 0,
    isIn: false,
    joins: 0,
    ranges: [],
  }))
  let isFirst = true
  for (const [row, day] of days.entries()) {
    yield
    const start = row * width
    if (!valid.subarray(start, start + width).includes(1)) continue
    let count = 0
    members.forEach((member, at) => {
      const isIn = isMember(matrix, start + at)
      if (!isFirst && isIn !== member.isIn) {
        changes.push({ day, ticker: member.ticker, change: isIn ? 'joined' : 'left' })
        if (isIn) member.joins++
      }
      member.isIn = isIn
      if (!isIn) return
      count++
      if (member.days++ === 0) member.firstDay = day
      member.lastDay = day
      extendRanges(member.ranges, row)
    })
    setCell(memberCounts, row, count)
    isFirst = false
  }
  changes.sort((a, b) => b.day - a.day || (a.change === b.change ? 0 : a.change === 'left' ? -1 : 1))
  return {
    days,
    memberCounts,
    changes,
    members: members.filter((member) => member.days > 0).sort((a, b) => b.days - a.days || a.firstDay - b.firstDay),
  }
}

function extendRanges(ranges: RowRange[], row: number): void {
  const last = ranges.at(-1)
  if (last?.to === row) last.to = row + 1
  else ranges.push({ from: row, to: row + 1 })
}

export const wasMember = ({ ranges }: TickerMembership, row: number): boolean =>
  ranges.some(({ from, to }) => row >= from && row < to)

/**
 * Returns a function that marks the members on a day. It uses the last row of the universe dated before that day,
 * because a row is known only when its day has ended.
 */
export function memberFinder(universe: DailyMatrix, tickers: readonly string[]): (day: DayNumber) => Uint8Array {
  const width = universe.tickers.length
  const placeByTicker = new Map(universe.tickers.map((ticker, at) => [ticker, at]))
  const places = tickers.map((ticker) => placeByTicker.get(ticker) ?? -1)
  const nobody = new Uint8Array(tickers.length)
  let lastMembers = { row: -1, members: nobody }
  return (day) => {
    const row = lastRowBefore(universe.days, day)
    if (row < 0) return nobody
    if (row !== lastMembers.row)
      lastMembers = {
        row,
        members: Uint8Array.from(places, (place) => Number(place >= 0 && isMember(universe, row * width + place))),
      }
    return lastMembers.members
  }
}

const lastRowBefore = (days: Int32Array, day: DayNumber): number => lowerBound(days, day) - 1

/** Keeps the values of each day's members; the others are missing. Yields after every day, because it may take a long time. */
export function* membersOnly(matrix: DailyMatrix, universe: DailyMatrix): Generator<void, DailyMatrix, void> {
  const membersOn = memberFinder(universe, matrix.tickers)
  const width = matrix.tickers.length
  const valid = matrix.valid.slice()
  for (const [row, day] of matrix.days.entries()) {
    membersOn(day).forEach((isIn, at) => {
      if (!isIn) valid[row * width + at] = 0
    })
    yield
  }
  return { ...matrix, valid }
}

/** Lists the tickers that were members on any day from `startDay` (inclusive) to `endDay` (exclusive). */
export function allMembers(universe: DailyMatrix, startDay: DayNumber, endDay: DayNumber): string[] {
  const { days, tickers } = universe
  const from = Math.max(0, lastRowBefore(days, startDay))
  const to = lastRowBefore(days, endDay - 1)
  return tickers.filter((_, at) => {
    for (let row = from; row <= to; row++) if (isMember(universe, row * tickers.length + at)) return true
    return false
  })
}
