import { type Checkpoint, noCheckpoint } from '#shared/lab/checkpoint.ts'
import {
  buildPanel,
  MOST_IN_MEMORY_BYTES,
  type Panel,
  type PanelSize,
  refuseTooLarge,
  sizeOfRows,
  studyBytes,
} from '#shared/lab/panel.ts'
import type { Study } from '#shared/lab/kinds.ts'
import { neededDiskBytes, refuseLargeStudy } from '#shared/lab/studyMemory.ts'
import { type StudyRange, studyRange } from '#shared/lab/studyRange.ts'
import { type StudyPanel, memoryPanel } from '#shared/lab/studyPanel.ts'
import { blockReading } from './blockPanel.ts'
import type { PanelFile } from './panelCheck.ts'
import type { WantedColumns } from './panelHeader.ts'
import { readPanelBatches } from './panelFile.ts'
import { withFileName } from './panelFileError.ts'
import { bytesOfRow, joinBatches, type PanelHead, type PanelBatch } from './panelBatches.ts'
import { refuseWithoutRoom, SpillFile } from './spill.ts'
import { SpilledRows } from './spilledRows.ts'
import { columnsOfStudy } from './studyTask.ts'

interface FilePanelOptions {
  scratchFolder: string
  /** Memory limit for rows and cells before they are moved to a file. */
  mostMemoryBytes?: number
  /** Number of rows read at a time; tests make it small. */
  batchRows?: number
  checkpoint?: Checkpoint
}

/** A panel file opened for a study; closing it frees its disk space. */
interface OpenFilePanel {
  panel: StudyPanel
  close(): void
}

/** Rows and columns to read from a panel file. */
interface PanelSelection {
  columns: WantedColumns
  range: StudyRange
}

/**
 * Opens a panel file for a study. Its rows stay in memory until they and their cells would take too much; then they
 * move to a temporary file. Throws a `PanelError` that names the file if it cannot be used.
 */
export async function openFilePanel(study: Study, file: PanelFile, options: FilePanelOptions): Promise<OpenFilePanel> {
  const columns = columnsOfStudy(study)
  const rows = new FileRows({ columns, range: studyRange(study) }, options)
  try {
    const facts = await readPanelBatches(file, columns, (batch) => rows.add(batch), options.batchRows)
    return await withFileName(file.path, () => rows.open(study, facts))
  } catch (error) {
    rows.close()
    throw error
  }
}

/**
 * Reads a panel file into memory. Rows that would take too much stay in a temporary file until their size is known, so
 * that the error for a panel which does not fit says how much it needs. Throws a `PanelError` that names the file.
 * @param options `onTimes` receives the times of all rows, in range or not
 */
export async function readFilePanel(
  file: PanelFile,
  selection: PanelSelection,
  options: FilePanelOptions & { onTimes: (times: Float64Array) => void; onRead: () => void },
): Promise<Panel> {
  const rows = new FileRows(selection, options)
  try {
    const facts = await readPanelBatches(
      file,
      selection.columns,
      (batch) => {
        options.onTimes(batch.times)
        rows.add(batch)
      },
      options.batchRows,
    )
    return await withFileName(file.path, () => {
      options.onRead()
      return rows.panel(facts)
    })
  } finally {
    rows.close()
  }
}

/** Rows of a panel file, in memory or in a temporary file. */
class FileRows {
  readonly #range: StudyRange
  readonly #options: FilePanelOptions
  readonly #mostBytes: number
  #batches: PanelBatch[] = []
  #bytes = 0
  #spill: SpillFile | null = null
  #spilled: SpilledRows | null = null

  constructor({ range }: PanelSelection, options: FilePanelOptions) {
    this.#range = range
    this.#options = options
    this.#mostBytes = options.mostMemoryBytes ?? MOST_IN_MEMORY_BYTES
  }

  add(batch: PanelBatch): void {
    const { checkpoint = noCheckpoint } = this.#options
    checkpoint()
    if (this.#spilled) return this.#spilled.add(batch)
    this.#batches.push(batch)
    const [rows, columns] = [batch.times.length, batch.columns.size]
    this.#bytes += rows * bytesOfRow(columns) + studyBytes(rows, columns)
    if (this.#bytes > this.#mostBytes) this.#startSpill()
  }

  /** Moves the rows read so far to a file, which then receives all later rows too. */
  #startSpill(): SpilledRows {
    const columns = [...(this.#batches[0]?.columns.keys() ?? [])]
    this.#spill = new SpillFile(this.#options.scratchFolder)
    this.#spilled = new SpilledRows(this.#spill, this.#range, columns)
    for (const batch of this.#batches) this.#spilled.add(batch)
    this.#batches = []
    return this.#spilled
  }

  open(study: Study, facts: PanelHead): OpenFilePanel {
    const inMemory = this.#spilled ? null : this.#openWhole(facts)
    return inMemory ?? this.#openSpilled(study, this.#spilled ?? this.#startSpill(), facts)
  }

  /** Puts the rows on the grid in memory; null if the grid has too many cells for that. */
  #openWhole(facts: PanelHead): OpenFilePanel | null {
    const rows = joinBatches(this.#batches, facts)
    const { timeCount, symbolCount, columnCount } = sizeOfRows(rows, this.#range)
    if (studyBytes(timeCount * symbolCount, columnCount) > this.#mostBytes) return null
    this.#batches = []
    return { panel: memoryPanel(buildPanel(rows, this.#range)), close: () => undefined }
  }

  #openSpilled(study: Study, rows: SpilledRows, { names, columns, otherColumns, columnNames }: PanelHead) {
    const spill = this.#spill!
    const size = this.#sizeOf(rows, columns)
    refuseLargeStudy(study, size)
    refuseWithoutRoom(this.#options.scratchFolder, neededDiskBytes(study, size))
    const grid = rows.grid(names)
    const panel: StudyPanel = {
      ...grid,
      ...blockReading(spill, { timeCount: size.timeCount, symbolCount: size.symbolCount }),
      otherColumns,
      columnNames,
      seriesNames: columns,
      series: (name, symbol) => (columns.includes(name) ? rows.series(name, symbol) : null),
    }
    return { panel, close: () => this.close() }
  }

  /** Puts the rows on the grid in memory, from memory or from the file; throws a `PanelError` if they do not fit. */
  panel(facts: PanelHead): Panel {
    if (!this.#spilled) {
      const rows = joinBatches(this.#batches, facts)
      this.#batches = []
      return buildPanel(rows, this.#range)
    }
    refuseTooLarge(this.#sizeOf(this.#spilled, facts.columns))
    return panelOfSpilled(this.#spilled, facts)
  }

  #sizeOf(rows: SpilledRows, columns: readonly string[]): PanelSize {
    return { ...rows.size(), columnCount: columns.length, intervalMs: this.#range.intervalMs }
  }

  close(): void {
    this.#spill?.close()
    this.#spill = null
  }
}

/** Reads the cells of rows in a temporary file into memory. */
function panelOfSpilled(rows: SpilledRows, { names, columns, otherColumns, columnNames }: PanelHead): Panel {
  const { hasRow, member, ...grid } = rows.grid(names)
  const { timeCount, symbols } = grid
  const cells = timeCount * symbols.length
  const columnCells = columns.map((name) => ({ name, values: new Float64Array(cells), valid: new Uint8Array(cells) }))
  symbols.forEach((_, symbol) => {
    for (const { name, values, valid } of columnCells) {
      const series = rows.series(name, symbol)
      values.set(series?.values ?? [], symbol * timeCount)
      valid.set(series?.valid ?? [], symbol * timeCount)
    }
  })
  return {
    ...grid,
    otherColumns,
    columnNames,
    columns: new Map(columnCells.map(({ name, values, valid }) => [name, { values, valid }])),
    hasRow: hasRow.rows(0, timeCount),
    member: member && member.rows(0, timeCount),
  }
}
