const US_PER_DAY = 86_400_000_000

/** What one clock says about the order of events. Times in microseconds. */
export class TimeTally {
  firstUs = Infinity
  lastUs = -Infinity
  /** Events behind a later one. */
  outOfOrder = 0
  missing = 0
  longestSilenceUs = 0
  silenceStartUs: number | null = null
  /** Events of each UTC day, by its number. */
  readonly days = new Map<number, number>()

  add(timesUs: Float64Array, rows: number): void {
    let latestUs = this.lastUs
    let day = NaN
    let dayStartUs = 0
    let dayEndUs = 0
    let inDay = 0
    for (let row = 0; row < rows; row++) {
      const timeUs = timesUs[row]
      if (!(timeUs >= dayStartUs && timeUs < dayEndUs)) {
        if (Number.isNaN(timeUs)) {
          this.missing++
          continue
        }
        this.countDay(day, inDay)
        day = Math.floor(timeUs / US_PER_DAY)
        dayStartUs = day * US_PER_DAY
        dayEndUs = dayStartUs + US_PER_DAY
        inDay = 0
      }
      inDay++
      if (timeUs < latestUs) {
        this.outOfOrder++
        if (timeUs < this.firstUs) this.firstUs = timeUs
        continue
      }
      const silenceUs = timeUs - latestUs
      if (silenceUs > this.longestSilenceUs && silenceUs < Infinity) {
        this.longestSilenceUs = silenceUs
        this.silenceStartUs = latestUs
      }
      latestUs = timeUs
      if (timeUs < this.firstUs) this.firstUs = timeUs
    }
    this.lastUs = latestUs
    this.countDay(day, inDay)
  }

  private countDay(day: number, events: number): void {
    if (events > 0) this.days.set(day, (this.days.get(day) ?? 0) + events)
  }
}

/** Milliseconds, null where there was no event. */
export const msOf = (timeUs: number): number | null => (Number.isFinite(timeUs) ? timeUs / 1000 : null)
