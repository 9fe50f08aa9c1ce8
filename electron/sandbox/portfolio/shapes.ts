import { dayOfNumber } from '../market/days.ts'
import type { DayNumberRange } from './parameters.ts'

export type JsonCell = number | null

export interface SnapshotBody {
  data: JsonCell[]
  index: string
  columns: string[]
  createdAt: string
}

export interface MatrixBody {
  data: JsonCell[][]
  index: string[]
  columns: string[]
}

export interface SeriesBody {
  data: number[]
  index: string[]
  columns?: string[]
}

export interface LivePoint {
  data: JsonCell
  index: string
  createdAt?: string
}

export const replyCell = (value: number): JsonCell => (Number.isFinite(value) ? value : null)

function daysOf({ from, to }: DayNumberRange): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i)
}

export function matrixOf(range: DayNumberRange, columns: string[], rowOf: (day: number) => JsonCell[]): MatrixBody {
  const days = daysOf(range)
  return { data: days.map(rowOf), index: days.map(dayOfNumber), columns }
}

/** Builds a series; days without a value are left out. */
export function seriesReply(range: DayNumberRange, valueOf: (day: number) => number): SeriesBody {
  const days = daysOf(range).filter((day) => Number.isFinite(valueOf(day)))
  return { data: days.map(valueOf), index: days.map(dayOfNumber) }
}
