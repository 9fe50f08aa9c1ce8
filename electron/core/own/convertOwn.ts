import { mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { OwnChoices, OwnPart, OwnRecord, OwnSourceFile } from '#core/store/ownDataStore.ts'
import { AppError } from '#shared/contract/errors.ts'
import { intervalName, MS_PER_DAY, parseDuration, parseInterval } from '#shared/time.ts'
import { exactTime } from '#shared/units/instants.ts'
import { problemIn } from './ownHead.ts'
import { type SortedRows, writePartFile } from './ownPartFile.ts'
import { type MonthRows, OwnRowCollector, type RowMemory } from './ownRows.ts'
import { OwnTimes } from './ownTimes.ts'
import { contentOf, PREVIEWED_BYTES, type OwnFileToRead, type OwnReading, readOwnFile } from './readOwnFiles.ts'

/** Files to convert, in the order in which they are read, and the folder that receives the result. */
export interface ConvertTask {
  files: readonly OwnFileToRead[]
  paths: readonly string[]
  choices: OwnChoices
  folder: string
  /** For a preview: number of rows of each file after which it is read no further, and of rows that are shown. */
  preview?: { mostRows: number; shownRows: number }
  memory?: RowMemory
}

export interface Converted {
  record: OwnRecord
  parts: OwnPart[]
}

const MONTH_FOLDER = (month: string): string => `month=${month}`

const US_PER_SECOND = 1e6
const SECONDS_PER_DAY = 86_400
const MOST_MONTHS = 12_000

/** Converts files of the user to one Parquet file a month; throws the sentence that refuses them. */
export async function convertOwn(
  { files, paths, choices, folder, preview, memory }: ConvertTask,
  onProgress: (done: number, total: number) => void = () => undefined,
): Promise<Converted> {
  const knownAfterMs = parseDuration(choices.knownAfter)!
  const givenMs = choices.interval === undefined ? null : parseInterval(choices.interval)! * 1000
  const collector = new OwnRowCollector(
    folder,
    { hasLabels: choices.label !== undefined, isEvents: choices.isEvents },
    memory,
  )
  const times = new OwnTimes()
  const grid = new SeenTimes()
  const reading: OwnReading = { choices, collector, times, leftOut: new Map() }
  if (preview) reading.mostRows = preview.mostRows
  if (givenMs !== null) reading.onTime = (timeUs, place) => refuseOffGrid(timeUs, givenMs, place)
  else if (!choices.isEvents) reading.onTime = (timeUs) => grid.add(timeUs)
  const sources: OwnSourceFile[] = []
  files.forEach((file, at) => {
    reading.onProgress = (_rows, share) => onProgress((0.7 * (at + share)) / files.length, 1)
    const before = statSync(file.path)
    const content = contentOf(file, preview ? PREVIEWED_BYTES : Infinity)
    sources.push({
      path: file.path,
      bytes: content.bytes,
      sha256: content.sha256,
      modifiedAtMs: before.mtimeMs,
    })
    readOwnFile(file, content, reading)
    if (preview) return
    // The rows would not be those of the sum that is kept with them.
    const after = statSync(file.path)
    if (after.size !== content.bytes || after.mtimeMs !== before.mtimeMs)
      throw problemIn(file.name, 'it changed while it was read; try again when it is written whole')
  })
  if (collector.rows === 0)
    throw new AppError('bad-input', `${files.map(({ name }) => name).join(', ')}: there is no row of data.`)
  const columns = collector.columns
    .map((name, place) => ({ name, place }))
    .filter(({ name }) => !reading.leftOut.has(name))
  if (columns.length === 0 && !choices.isEvents) throw noColumns(reading, files)
  const months = collector.months()
  if (months.length > MOST_MONTHS)
    throw new AppError('bad-input', `The times lie in ${months.length} months; a dataset may have ${MOST_MONTHS}.`)
  const steps = choices.isEvents || givenMs !== null ? null : new StepCounts()
  const extent = { rows: 0, duplicates: 0, firstUs: Infinity, lastUs: -Infinity }
  const parts: OwnPart[] = []
  const written = {
    columns: columns.map(({ name }) => name),
    label: reading.labelColumn ?? null,
    hasSymbols: (reading.symbolColumn ?? null) !== null,
    hasExchanges: (reading.exchangeColumn ?? null) !== null,
    owners: collector.owners,
    labels: collector.labels,
  }
  for (const [at, month] of months.entries()) {
    const owners: OwnPart['owners'][number][] = []
    const sorted = function* (): Generator<SortedRows> {
      for (const all of collector.take(month)) {
        const order = sortedOrder(all, collector.owners.length)
        const rows = inOrder(all, order, columns)
        extent.duplicates += all.rows - order.length
        extent.rows += order.length
        for (const timeUs of rows.timesUs) {
          if (timeUs < extent.firstUs) extent.firstUs = timeUs
          if (timeUs > extent.lastUs) extent.lastUs = timeUs
        }
        steps?.add(rows)
        addRuns(owners, rows.owners)
        yield rows
      }
    }
    const monthFolder = join(folder, MONTH_FOLDER(month))
    mkdirSync(monthFolder, { recursive: true, mode: 0o700 })
    const file = await writePartFile(monthFolder, sorted(), written)
    rmSync(join(folder, `${month}.rows`), { force: true })
    parts.push({ month, rows: owners.reduce((sum, { rows }) => sum + rows, 0), owners, ...file })
    onProgress(0.7 + (0.3 * (at + 1)) / months.length, 1)
  }
  const intervalMs = choices.isEvents ? null : (givenMs ?? steps!.mostFrequentMs(files))
  if (intervalMs !== null && givenMs === null && grid.isOff(intervalMs)) findOffGrid(files, choices, intervalMs)
  const units = new Map(Object.entries(choices.units).map(([name, unit]) => [name.toLowerCase(), unit]))
  const exchangeColumn = reading.exchangeColumn ?? null
  const symbolColumn = reading.symbolColumn ?? null
  return {
    record: {
      paths,
      choices,
      intervalMs,
      knownAfterMs,
      time: { column: reading.timeColumn!, unit: times.unit! },
      symbol: symbolColumn === null ? null : { column: symbolColumn },
      exchange:
        exchangeColumn === null
          ? choices.exchange === undefined
            ? null
            : { value: choices.exchange }
          : { column: exchangeColumn },
      columns: columns.map(({ name }) => ({ name, unit: units.get(name.toLowerCase()) ?? null })),
      label: written.label,
      rows: extent.rows,
      duplicates: extent.duplicates,
      firstTimeUs: extent.firstUs,
      lastTimeUs: extent.lastUs,
      owners:
        exchangeColumn === null && choices.exchange !== undefined
          ? collector.owners.map(({ symbol }) => ({ symbol, exchange: choices.exchange! }))
          : collector.owners,
      leftOut: [...reading.leftOut].map(([name, why]) => ({ name, why })),
      files: sources,
    },
    parts,
  }
}

function noColumns({ leftOut }: OwnReading, files: readonly OwnFileToRead[]): AppError {
  const whys = [...leftOut].map(([name, why]) => `${name} (${why})`).join('; ')
  return new AppError(
    'bad-input',
    `${files.map(({ name }) => name).join(', ')}: no column of numbers is left${whys === '' ? '' : `: ${whys}`}. Rows without numbers can be --events.`,
  )
}

const offGridText = (timeUs: number, intervalMs: number) =>
  `the time ${exactTime(timeUs / 1000, 'utc')} is off the grid of ${intervalName(intervalMs)}; give another --interval, or --events for times without a grid`

function refuseOffGrid(timeUs: number, intervalMs: number, { file, line }: { file: string; line: number }): void {
  if (timeUs % (intervalMs * 1000) !== 0) throw problemIn(file, offGridText(timeUs, intervalMs), line)
}

/** Reads the files once more up to the first row that is off the grid, and refuses it. */
function findOffGrid(files: readonly OwnFileToRead[], choices: OwnChoices, intervalMs: number): void {
  const reading: OwnReading = {
    choices,
    collector: null,
    times: new OwnTimes(),
    leftOut: new Map(),
    onTime: (timeUs, place) => refuseOffGrid(timeUs, intervalMs, place),
  }
  for (const file of files) readOwnFile(file, contentOf(file), reading)
}

/** Seconds of the day at which rows were seen. */
class SeenTimes {
  readonly #seconds = new Uint8Array(SECONDS_PER_DAY)
  #hasFractions = false

  add(timeUs: number): void {
    const ofDay = timeUs % (SECONDS_PER_DAY * US_PER_SECOND)
    const second = (ofDay < 0 ? ofDay + SECONDS_PER_DAY * US_PER_SECOND : ofDay) / US_PER_SECOND
    if (second % 1 === 0) this.#seconds[second] = 1
    else this.#hasFractions = true
  }

  isOff(intervalMs: number): boolean {
    const step = intervalMs / 1000
    return this.#hasFractions || this.#seconds.some((seen, second) => seen === 1 && second % step !== 0)
  }
}

/** Counts the steps between neighbouring times of each owner, month after month. */
class StepCounts {
  readonly #countByStep = new Map<number, number>()
  readonly #lastByOwner = new Map<number, number>()

  add({ timesUs, owners }: { timesUs: Float64Array; owners: Int32Array }): void {
    for (let row = 0; row < timesUs.length;) {
      const owner = owners[row]
      let lastUs = this.#lastByOwner.get(owner) ?? NaN
      let step = NaN
      let count = 0
      for (; row < timesUs.length && owners[row] === owner; row++) {
        const ownStep = timesUs[row] - lastUs
        lastUs = timesUs[row]
        if (ownStep === step) {
          count++
          continue
        }
        this.#count(step, count)
        step = ownStep
        count = 1
      }
      this.#count(step, count)
      this.#lastByOwner.set(owner, lastUs)
    }
  }

  #count(stepUs: number, count: number): void {
    const dividesDay = stepUs % US_PER_SECOND === 0 && (MS_PER_DAY * 1000) % stepUs === 0
    if (count > 0 && dividesDay) this.#countByStep.set(stepUs, (this.#countByStep.get(stepUs) ?? 0) + count)
  }

  mostFrequentMs(files: readonly OwnFileToRead[]): number {
    const steps = [...this.#countByStep].sort(([a, countOfA], [b, countOfB]) => countOfB - countOfA || a - b)
    if (steps.length > 0) return steps[0][0] / 1000
    throw new AppError(
      'bad-input',
      `${files.map(({ name }) => name).join(', ')}: no step between its times divides a day, so its interval is not clear. Give --interval, or --events for times without a grid.`,
    )
  }
}

/** Sorts rows by owner, then by time; of rows with the same key, only the last one stays. */
function sortedOrder({ rows, timesUs, owners, hashes }: MonthRows, ownerCount: number): Int32Array {
  const starts = new Int32Array(ownerCount + 1)
  for (let row = 0; row < rows; row++) starts[owners[row] + 1]++
  for (let owner = 0; owner < ownerCount; owner++) starts[owner + 1] += starts[owner]
  const place = (byTime: Int32Array | null): Int32Array => {
    const order = new Int32Array(rows)
    const next = starts.slice()
    for (let at = 0; at < rows; at++) {
      const row = byTime === null ? at : byTime[at]
      order[next[owners[row]]++] = row
    }
    return order
  }
  let order = place(null)
  if (!isAscending(order, owners, timesUs)) order = place(orderByTime(timesUs))
  let kept = 0
  for (let owner = 0; owner < ownerCount; owner++) {
    const own = order.subarray(starts[owner], starts[owner + 1])
    for (let from = 0, to = 0; from < own.length; from = to) {
      for (to = from + 1; to < own.length && timesUs[own[to]] === timesUs[own[from]]; to++);
      if (hashes === null || to === from + 1) order[kept++] = own[to - 1]
      else for (const row of lastOfEach(own.subarray(from, to), hashes)) order[kept++] = row
    }
  }
  return order.subarray(0, kept)
}

/** Tells whether the times of each owner ascend in an order that has owner after owner. */
function isAscending(order: Int32Array, owners: Int32Array, timesUs: Float64Array): boolean {
  for (let at = 1; at < order.length; at++) {
    const [before, row] = [order[at - 1], order[at]]
    if (timesUs[row] < timesUs[before] && owners[row] === owners[before]) return false
  }
  return true
}

/** Most bits of the digits by which times are sorted: the more, the fewer rounds, but the longer each. */
const MOST_DIGIT_BITS = 14

/** Orders rows by time, those of the same time as they are, without a comparison: rows are sorted digit by digit. */
function orderByTime(timesUs: Float64Array): Int32Array {
  const { keys, most } = stepNumbers(timesUs)
  const bits = Math.ceil(Math.log2(most + 1))
  const rounds = Math.ceil(bits / MOST_DIGIT_BITS)
  const digits = 2 ** Math.ceil(bits / Math.max(1, rounds))
  let order = Int32Array.from(timesUs, (_, row) => row)
  let next = new Int32Array(order.length)
  const digitByRow = new Uint16Array(order.length)
  for (let round = 0; round < rounds; round++) {
    const unit = digits ** round
    const ends = new Int32Array(digits)
    for (let row = 0; row < keys.length; row++) ends[(digitByRow[row] = Math.floor(keys[row] / unit) & (digits - 1))]++
    for (let digit = 1; digit < digits; digit++) ends[digit] += ends[digit - 1]
    for (let at = order.length - 1; at >= 0; at--) next[--ends[digitByRow[order[at]]]] = order[at]
    ;[order, next] = [next, order]
  }
  return order
}

/** Numbers times by the largest step that fits between all of them. */
function stepNumbers(timesUs: Float64Array): { keys: Float64Array; most: number } {
  let first = Infinity
  for (let row = 0; row < timesUs.length; row++) if (timesUs[row] < first) first = timesUs[row]
  const keys = timesUs.map((timeUs) => timeUs - first)
  let step = 0
  for (let row = 0; row < keys.length; row++)
    if (step === 0 || keys[row] % step !== 0) step = commonStep(step, keys[row])
  let most = 0
  for (let row = 0; row < keys.length; row++) {
    keys[row] = step === 0 ? 0 : keys[row] / step
    if (keys[row] > most) most = keys[row]
  }
  return { keys, most }
}

/** Returns the greatest number that divides both. */
function commonStep(a: number, b: number): number {
  while (b !== 0) [a, b] = [b, a % b]
  return a
}

/** Keeps the last of equal rows, in their order. */
function lastOfEach(rows: Int32Array, hashes: Float64Array): ArrayLike<number> & Iterable<number> {
  const lastByHash = new Map<number, number>()
  for (const row of rows) lastByHash.set(hashes[row], row)
  return [...lastByHash.values()].sort((a, b) => a - b)
}

function inOrder(all: MonthRows, order: Int32Array, columns: readonly { place: number }[]) {
  const gather = <Rows extends Float64Array<ArrayBuffer> | Int32Array<ArrayBuffer>>(values: Rows): Rows => {
    const gathered = new (values.constructor as new (length: number) => Rows)(order.length)
    for (let at = 0; at < order.length; at++) gathered[at] = values[order[at]]
    return gathered
  }
  return {
    timesUs: gather(all.timesUs),
    owners: gather(all.owners),
    labels: all.labels && gather(all.labels),
    columns: columns.map(({ place }) => gather(all.columns[place])),
  }
}

/** Adds the owners of sorted rows, each with its number of rows. */
function addRuns(runs: OwnPart['owners'][number][], owners: Int32Array): void {
  for (let row = 0; row < owners.length;) {
    const owner = owners[row]
    const from = row
    while (row < owners.length && owners[row] === owner) row++
    const last = runs.at(-1)
    if (last?.owner === owner) last.rows += row - from
    else runs.push({ owner, rows: row - from })
  }
}
