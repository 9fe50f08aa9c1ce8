import type { OverviewPoints } from '../../../shared/contract/areas/series.ts'
import type { Frame } from '../../../shared/contract/frame.ts'
import { decodeWire } from '../../../shared/contract/wire.ts'

/** All rows of a column, for charts that reduce the data themselves. */
export interface Columns {
  times: Float64Array
  values: Float64Array
}

export const columnNames = ['c0', 'c1']

async function fetchWire(path: string): Promise<unknown> {
  const answer = await fetch(path)
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`)
  return decodeWire(new Uint8Array(await answer.arrayBuffer()))
}

export async function allRows(column: string): Promise<Columns> {
  const { columns } = (await fetchWire(`/rows/${column}`)) as Frame
  const numbers = (at: number) => columns[at].values as Float64Array
  return { times: numbers(0), values: numbers(1) }
}

export const pointsOf = async (column: string) => (await fetchWire(`/points/${column}`)) as OverviewPoints
