import type { Column, Frame } from '#shared/contract/frame.ts'

/** Rows of several frames beside each other, a row for every time that any of them has. Their first column is the time, rising. */
export function joinedFrame(frames: readonly Frame[]): Frame {
  const times = unionOf(frames.map(timesOf))
  return {
    rows: times.length,
    columns: [
      { name: 'time', kind: 'time', values: times, valid: null },
      ...frames.flatMap((frame) => {
        const places = placesOf(timesOf(frame), times)
        return frame.columns.slice(1).map((column) => spread(column, places, times.length))
      }),
    ],
  }
}

const timesOf = ({ columns: [time] }: Frame): Float64Array =>
  time?.kind === 'time' ? time.values : new Float64Array(0)

function unionOf(all: readonly Float64Array[]): Float64Array {
  const together = new Float64Array(all.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const times of all) {
    together.set(times, at)
    at += times.length
  }
  together.sort()
  return together.filter((time, row) => row === 0 || time !== together[row - 1])
}

/** The row of each time among all of them. */
function placesOf(times: Float64Array, all: Float64Array): Int32Array {
  let place = 0
  return Int32Array.from(times, (time) => {
    while (all[place] < time) place += 1
    return place
  })
}

function spread(column: Column, places: Int32Array, rows: number): Column {
  const valid = new Uint8Array(rows)
  places.forEach((place, row) => (valid[place] = column.valid?.[row] ?? 1))
  const moved = <Values extends Float64Array | Int32Array>(from: Values, to: Values): Values => {
    places.forEach((place, row) => (to[place] = from[row]))
    return to
  }
  return column.kind === 'text'
    ? { ...column, values: moved(column.values, new Int32Array(rows)), valid }
    : { ...column, values: moved(column.values, new Float64Array(rows)), valid }
}
