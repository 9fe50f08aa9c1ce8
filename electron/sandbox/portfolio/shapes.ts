import { dayOfNumber } from '../market/days.ts'
import type { DayRange } from './parameters.ts'

export type Cell = number | null

export interface Snapshot {
  data: Cell[]
  index: string
  columns: string[]
  createdAt: string
}

export interface Matrix {
  data: Cell[][]
  index: string[]
  columns: string[]
}

export interface Series {
  data: number[]
  index: string[]
  columns?: string[]
}

export interface LivePoint {
  data: Cell
  index: string
  createdAt: string
}

export const cellOf = (value: number): Cell => (Number.isFinite(value) ? value : null)

function daysOf({ from, to }: DayRange): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i)
}

export function matrixOf(range: DayRange, columns: string[], rowOf: (day: number) => Cell[]): Matrix {
  const days = daysOf(range)
  return { data: days.map(rowOf), index: days.map(dayOfNumber), columns }
}

/** Builds a series; days without a value are left out. */
export function seriesOf(range: DayRange, valueOf: (day: number) => number): Series {
  const days = daysOf(range).filter((day) => Number.isFinite(valueOf(day)))
  return { data: days.map(valueOf), index: days.map(dayOfNumber) }
}
