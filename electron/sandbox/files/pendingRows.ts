import type { MetricRows } from '#shared/metrics/metricRows.ts'

function joined(pieces: Float64Array[]): Float64Array {
  const whole = new Float64Array(pieces.reduce((length, piece) => length + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/** Rows that wait until there are enough for a row group. */
export class PendingRows {
  private pieces: MetricRows[] = []
  count = 0

  add(rows: MetricRows): void {
    if (rows.timeMs.length === 0) return
    this.pieces.push(rows)
    this.count += rows.timeMs.length
  }

  /** All that waits, as one; at least one row must. */
  take(): MetricRows {
    const { pieces } = this
    this.pieces = []
    this.count = 0
    return {
      dataset: pieces[0].dataset,
      timeMs: joined(pieces.map(({ timeMs }) => timeMs)),
      columns: pieces[0].columns.map((_, index) => joined(pieces.map(({ columns }) => columns[index]))),
    }
  }
}
