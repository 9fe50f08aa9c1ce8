import { randomUUID } from 'node:crypto'
import { readdirSync, rmSync, statSync } from 'node:fs'
import { basename, extname, join, resolve } from 'node:path'
import { createWorkPool } from '#core/guard/workPool.ts'
import type { Clock, StartProcess } from '#core/ports.ts'
import type { EventBus } from '#core/eventBus.ts'
import type { OwnChoices, OwnDataset, OwnPart, OwnRecord, OwnVersion } from '#core/store/ownDataStore.ts'
import { recipeOf, takenError } from '#core/store/ownDataStore.ts'
import type { Store } from '#core/store/store.ts'
import { threadEntry } from '#core/threads/threadEntry.ts'
import { parseSymbol } from '#shared/catalog/symbols.ts'
import { isMetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import type { ParsedInput } from '#shared/contract/calls.ts'
import { MOST_OWN_BYTES, type OwnDataPreview, type OwnDatasetFacts, PREVIEW_ROWS } from '#shared/contract/areas/data.ts'
import { AppError } from '#shared/contract/errors.ts'
import { textColumn } from '#shared/contract/frame.ts'
import type { Progress } from '#shared/contract/protocol.ts'
import { isOwnName, knownDelayUs, OWN_DATA_ENDINGS, ownDatasetId } from '#shared/formula/ownData.ts'
import { didYouMean } from '#shared/formula/suggestName.ts'
import { intervalName, parseDuration, parseInterval } from '#shared/time.ts'
import { codeOf, notFileText, unopenedText } from '#shared/units/fileKind.ts'
import { exactTime, formatTime } from '#shared/units/instants.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import { byCodeUnits } from '#shared/lab/panel.ts'
import type { ChangedRows } from './changedRows.ts'
import type { Converted, ConvertTask } from './convertOwn.ts'
import {
  newWorkFolder,
  partPath,
  placeParts,
  removeDatasetFolder,
  removeStrayFiles,
  storedPart,
  storedParts,
  workPath,
} from './ownFolder.ts'
import type { OwnAnswer, OwnWork, PreviewAnswer } from './ownWorker.ts'
import { rowsAreElsewhere } from './ownPlan.ts'
import { type OpenRuns, referencesTo } from './ownReferences.ts'
import type { PageOfRows } from './pageOfRows.ts'
import type { OwnFileToRead } from './readOwnFiles.ts'

export interface OwnDataDeps {
  store: Store
  clock: Clock
  bus: EventBus
  startProcess?: StartProcess | undefined
  ledger: OpenRuns
}

interface WorkOptions {
  signal: AbortSignal
  progress(progress: Progress): void
}

type PreviewInput = Omit<ParsedInput<'data.add'>, 'files' | 'paths' | 'once'>
type AddInput = PreviewInput & Partial<Pick<ParsedInput<'data.add'>, 'once'>>

/** Makes datasets of the user's files, and keeps them up to date. */
export interface OwnData {
  list(): Omit<OwnDatasetFacts, 'files'>[]
  show(name: string): OwnDatasetFacts
  add(
    input: AddInput,
    paths: readonly string[],
    options: WorkOptions,
  ): Promise<{ added: OwnDatasetFacts; notes: string[] }>
  preview(input: PreviewInput, paths: readonly string[], options: WorkOptions): Promise<OwnDataPreview>
  /** @param newPaths where the files are from now on; empty for where they were */
  refresh(
    name: string,
    newPaths: readonly string[],
    options: WorkOptions,
  ): Promise<{ name: string; paths: readonly string[] } & Omit<ChangedRows, 'days'>>
  remove(name: string): void
  /** Reads rows of all instruments by their labels, a page at a time. */
  rows(input: ParsedInput<'data.rows'>, options: WorkOptions): Promise<PageOfRows>
  close(): Promise<void>
}

/** Time within which work ends without showing progress. */
const SHORT_MS = 1000
/** Rows of each file that are read for a preview. */
const PREVIEWED_ROWS = 100_000

export function createOwnData(deps: OwnDataDeps): OwnData {
  const { store, clock, bus } = deps
  const pool = createWorkPool<OwnWork, OwnAnswer>(threadEntry('ownWorker', import.meta.url), {
    name: 'Perpscope own data',
    size: 1,
    startProcess: deps.startProcess,
  })
  removeStrayFiles(store)

  const changed = () => bus.emit('data.changed', {})

  function run(work: OwnWork, { signal, progress }: WorkOptions): Promise<OwnAnswer> {
    const startedMs = performance.now()
    return pool.run(work, signal, (done, total) => {
      if (performance.now() - startedMs > SHORT_MS)
        progress({ done: Math.round(done * 100), total: total * 100, message: 'Read' })
    })
  }

  /** Converts files in a folder of their own, which is gone afterwards however it ended. */
  async function converting<Result>(
    task: Omit<ConvertTask, 'folder'>,
    options: WorkOptions,
    keep: (converted: Converted, folder: string) => Result | Promise<Result>,
  ): Promise<Result> {
    const folder = newWorkFolder(store, randomUUID().slice(0, 8))
    try {
      const converted = (await run({ do: 'convert', task: { ...task, folder } }, options)) as Converted
      options.signal.throwIfAborted()
      return await keep(converted, folder)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }

  const factsOf = (dataset: OwnDataset): OwnDatasetFacts => ({
    ...describe(store, dataset),
    references: referencesTo(deps, dataset),
    ...(dataset.record.recipe && { newRecipe: true as const }),
  })

  return {
    list: () =>
      store.ownData.list().map((dataset) => {
        const { files: _files, ...facts } = factsOf(dataset)
        return facts
      }),
    show: (name) => factsOf(store.ownData.read(name)),
    async add({ once, ...input }, paths, options) {
      const { name } = input
      const choices = checkedChoices(input)
      checkName(store, name)
      const files = filesAt(paths)
      return converting(
        { files, paths: paths.map((path) => resolve(path)), choices },
        options,
        ({ record, parts }, folder) => {
          const dataset = { name, record: once ? withoutPaths(record) : record, changedAtMs: clock.nowMs() }
          store.ownData.keep(dataset, parts, 'new', () => {
            removeDatasetFolder(store, name)
            placeParts(store, name, parts, folder)
          })
          changed()
          return { added: factsOf(dataset), notes: notesOf(store, record) }
        },
      )
    },
    async preview(input, paths, options) {
      const choices = checkedChoices(input)
      const files = filesAt(paths)
      const folder = newWorkFolder(store, randomUUID().slice(0, 8))
      try {
        const preview = { mostRows: PREVIEWED_ROWS, shownRows: PREVIEW_ROWS }
        const task = { files, paths, choices, folder, preview }
        const answer = (await run({ do: 'preview', task }, options)) as PreviewAnswer
        return previewOf(store, input.name, answer)
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    },
    async refresh(name, newPaths, options) {
      const before = store.ownData.read(name)
      const recipe = recipeOf(before.record)
      const choices = checkedChoices({ ...recipe.choices, events: recipe.choices.isEvents })
      const paths = newPaths.length > 0 ? newPaths.map((path) => resolve(path)) : recipe.paths
      if (paths.length === 0) throw new AppError('bad-input', notReadAgain(name))
      const oldParts = storedParts(store, before)
      return converting({ files: filesAt(paths), paths, choices }, options, async ({ record, parts }, folder) => {
        const after = parts.map((part) => ({ ...storedPart(part, workPath(folder, part)), month: part.month }))
        const task = {
          ...{ before: versionOf(before.record, oldParts), after: versionOf(record, after) },
          knownDelayUs: knownDelayUs(record),
        }
        const { days, ...counts } = (await run({ do: 'compare', task }, options)) as ChangedRows
        keepVersion(store, before, parts)
        const { reports } = store.ownData.read(name).record
        const dataset = { name, record: { ...record, ...(reports && { reports }) }, changedAtMs: clock.nowMs() }
        store.ownData.keep(dataset, parts, { changedDays: days }, () => placeParts(store, name, parts, folder))
        removeStrayFiles(store)
        changed()
        return { name, paths, ...counts }
      })
    },
    remove(name) {
      keepVersion(store, store.ownData.read(name), [])
      store.ownData.remove(name, () => removeDatasetFolder(store, name))
      changed()
    },
    async rows({ name, columns, startMs, endMs, limitRows }, options) {
      const dataset = store.ownData.read(name)
      const { record } = dataset
      const parts = storedParts(store, dataset)
      if (parts.length === 0) throw new AppError('not-here', `${rowsAreElsewhere(dataset)}.`)
      const known = record.columns.map((column) => column.name)
      const unknown = columns.find((column) => !known.includes(column))
      if (unknown !== undefined)
        throw new AppError('bad-input', `own_${name} has no column ${unknown}.${didYouMean(unknown, known)}`)
      const task = {
        parts,
        owners: record.owners,
        columns: columns.length > 0 ? columns : known,
        label: columns.length > 0 ? null : record.label,
        hasExchanges: record.exchange !== null,
        hasSymbols: record.symbol !== null,
        ...{ startMs, endMs, limitRows },
      }
      return (await run({ do: 'rows', task }, options)) as PageOfRows
    },
    close: () => pool.close(),
  }
}

/** Forgets where the files were, which are gone; their names stay. */
const withoutPaths = (record: OwnRecord): OwnRecord => ({
  ...record,
  paths: [],
  files: record.files.map((file) => ({ ...file, path: basename(file.path) })),
})

const notReadAgain = (name: string) =>
  `${name} was made from standard input or in a browser, so there is no file to read again. Remove it and add it again.`

/** Keeps a dataset as it is for what refers to it, as files that a service publishes again are kept. */
function keepVersion(store: Store, dataset: OwnDataset, nextParts: readonly OwnPart[]): void {
  const parts = store.ownData.parts(dataset.name)
  const note = JSON.stringify({ ...dataset, parts } satisfies OwnVersion)
  const replaced = parts.filter(({ sha256 }) => !nextParts.some((next) => next.sha256 === sha256))
  store.kept.keep(parts.map((part) => ({ path: partPath(store, dataset.name, part), sha256: part.sha256 })))
  for (const { sha256 } of replaced) store.kept.keepNote(sha256, note)
}

const versionOf = (record: OwnRecord, parts: ReturnType<typeof storedParts>) => ({
  parts,
  owners: record.owners,
  columns: record.columns.map(({ name }) => name),
  label: record.label,
  isEvents: record.intervalMs === null,
})

function checkName(store: Store, name: string): void {
  if (!isOwnName(name))
    throw new AppError(
      'bad-input',
      `“${name}” cannot be the name of a dataset: it begins with a small letter and has only small letters, digits and _, at most 31.`,
    )
  const dataset = ownDatasetId(name)
  if (isMetricDatasetId(dataset) || isMetricDatasetId(name.startsWith('own_') ? name : dataset))
    throw new AppError('conflict', `A service has a dataset ${dataset}; choose another name.`)
  if (store.ownData.find(name)) throw takenError(name)
}

function checkedChoices({ events, ...input }: Omit<OwnChoices, 'isEvents'> & { events: boolean }): OwnChoices {
  const { interval, knownAfter, units, label } = input
  const refuse = (problem: string): never => {
    throw new AppError('bad-input', problem)
  }
  if (events && interval !== undefined) refuse('Events have no interval: give --interval or --events, not both.')
  if (interval !== undefined && parseInterval(interval) === null)
    refuse(`--interval: “${interval}” is not an interval; it must divide a day, such as 15m, 4h or 1d.`)
  if (parseDuration(knownAfter) === null)
    refuse(`--known-after: “${knownAfter}” is not a duration of 0 or more, such as 20m, 36h or 10d.`)
  if (label !== undefined && !events) refuse('--label: only events have labels; give --events too.')
  for (const [column, unit] of Object.entries(units))
    if (!/^[^\s\p{C}](?:.*[^\s])?$/u.test(unit))
      refuse(
        `--unit ${column}=${unit}: write a unit such as quote, price, base asset or contracts, or none for a pure number.`,
      )
  const { time, symbol, exchange, columns } = input
  return { time, symbol, exchange, interval, isEvents: events, knownAfter, units, label, columns }
}

/** Lists the files at paths, in the order of the code units of their names; a folder stands for the files in it. */
function filesAt(paths: readonly string[]): OwnFileToRead[] {
  if (paths.length === 0) throw new AppError('bad-input', 'Name at least one file.')
  const found = new Map<string, OwnFileToRead>()
  let bytes = 0
  const add = (path: string, isGiven: boolean): void => {
    const facts = factsAt(path)
    if (facts.isDirectory()) {
      for (const entry of namesAt(path)) {
        const inner = join(path, entry)
        if (entry.startsWith('.')) continue
        if (factsAt(inner).isDirectory() || OWN_DATA_ENDINGS.includes(extname(entry).toLowerCase())) add(inner, false)
      }
      return
    }
    const problem = notFileText(path, facts)
    if (problem !== null && isGiven) throw new AppError('bad-input', problem)
    if (problem !== null || found.has(path)) return
    found.set(path, { path, name: basename(path) })
    bytes += facts.size
  }
  for (const path of paths) {
    const before = found.size
    add(resolve(path), true)
    if (found.size === before && factsAt(resolve(path)).isDirectory())
      throw new AppError('bad-input', `${path} has no CSV or Parquet files.`)
  }
  if (bytes > MOST_OWN_BYTES)
    throw new AppError(
      'too-large',
      `The files have ${(bytes / 2 ** 30).toFixed(1)} GiB; a dataset of your own may have ${MOST_OWN_BYTES / 2 ** 30} GiB.`,
    )
  return [...found.values()].sort((a, b) => byCodeUnits(a.name, b.name) || byCodeUnits(a.path, b.path))
}

function factsAt(path: string) {
  try {
    return statSync(path)
  } catch (thrown) {
    throw new AppError('bad-input', unopenedText(path, codeOf(thrown)))
  }
}

function namesAt(path: string): string[] {
  try {
    return readdirSync(path)
  } catch (thrown) {
    throw new AppError('bad-input', unopenedText(path, codeOf(thrown)))
  }
}

/** Describes a dataset, without what refers to it. */
function describe(
  store: Store,
  { name, record }: Pick<OwnDataset, 'name' | 'record'>,
): Omit<OwnDatasetFacts, 'references'> {
  const isoOf = (us: number | null) => (us === null ? null : exactTime(us / 1000, 'utc'))
  return {
    version: 1,
    name,
    dataset: ownDatasetId(name),
    kind: record.choices.isEvents ? 'events' : 'regular',
    interval: record.intervalMs === null ? null : intervalName(record.intervalMs),
    time: record.time,
    symbol: record.symbol,
    exchange: record.exchange,
    knownAfter: record.choices.knownAfter,
    columns: record.columns.map((column) => ({ ...column })),
    label: record.label,
    rows: record.rows,
    duplicates: record.duplicates,
    firstTime: isoOf(record.firstTimeUs),
    lastTime: isoOf(record.lastTimeUs),
    unknownSymbols: unknownSymbols(store, record),
    leftOut: record.leftOut.map((column) => column.name),
    files: record.files.map(({ path, bytes, sha256 }) => ({ path, bytes, sha256 })),
  }
}

/** Lists the symbols of the rows that stand beside no instrument that a service offers or that is cached. */
function unknownSymbols(store: Store, { owners }: OwnRecord): string[] {
  if (owners.every(({ symbol }) => symbol === null)) return []
  const known = store.ownData.knownInstruments()
  const matched = new Set<string>()
  const byKey = new Map(owners.map((owner) => [JSON.stringify([owner.exchange, owner.symbol]), owner]))
  for (const instrument of known) for (const key of keysOf(instrument)) if (byKey.has(key)) matched.add(key)
  const unmatched = [...byKey].filter(([key, { symbol }]) => symbol !== null && !matched.has(key))
  return [...new Set(unmatched.map(([, { symbol }]) => symbol!))].sort(byCodeUnits)
}

/** Lists how rows of an instrument may be written. */
function keysOf(instrument: { exchange: string; symbol: string }): string[] {
  const { base } = parseSymbol(instrument.symbol) ?? { base: instrument.symbol }
  return [instrument.exchange, null].flatMap((exchange) =>
    [instrument.symbol, base].map((symbol) => JSON.stringify([exchange, symbol])),
  )
}

const MOST_NAMED = 10

/** Sentences on what adding the files left out, joined or did not know. */
function notesOf(store: Store, record: OwnRecord): string[] {
  const unknown = unknownSymbols(store, record)
  const named = unknown.slice(0, MOST_NAMED).join(', ')
  const more = unknown.length > MOST_NAMED ? ` and ${unknown.length - MOST_NAMED} more` : ''
  return [
    ...record.leftOut.map(({ name, why }) => `Column ${name} is left out: ${why}.`),
    ...(record.duplicates === 0
      ? []
      : [
          `${plainPlural(record.duplicates, 'row')} stand twice; of rows with the same ${record.intervalMs === null ? 'content' : 'time and symbol'} the last one counts.`,
        ]),
    ...(unknown.length === 0
      ? []
      : [`No instrument is known for ${named}${more}; the rows are kept. Capitals count in symbols.`]),
    ...(record.knownAfterMs === 0
      ? [
          `--known-after is 0: a row counts as known at ${record.intervalMs === null ? 'its time' : 'the end of its interval'}.`,
        ]
      : []),
  ]
}

/** Says when the last row is known: “the event of 2026-06-30 is known from 2026-07-10 00:00”. */
export function knownSentence(record: OwnRecord): string | null {
  if (record.lastTimeUs === null) return null
  const knownMs = (record.lastTimeUs + knownDelayUs(record)) / 1000
  const labelMs = record.lastTimeUs / 1000
  const label = formatTime(labelMs, 'utc', labelMs % 86_400_000 === 0 ? 'day' : 'minute')
  return `the ${record.intervalMs === null ? 'event' : 'row'} of ${label} is known from ${formatTime(knownMs, 'utc', 'minute')}`
}

function previewOf(store: Store, name: string, { head, converted, problem }: PreviewAnswer): OwnDataPreview {
  const [names = [], ...rows] = head
  return {
    names,
    head: {
      rows: rows.length,
      columns: names.map((column, at) =>
        textColumn(
          column,
          rows.map((cells) => cells[at] ?? ''),
        ),
      ),
    },
    facts: converted && describe(store, { name, record: converted.record }),
    problem,
    notes: converted ? notesOf(store, converted.record) : [],
    known: converted && knownSentence(converted.record),
  }
}
