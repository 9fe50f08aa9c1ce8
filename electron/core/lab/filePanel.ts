import { type Checkpoint, neverCancelled } from '#shared/lab/checkpoint.ts'
import { buildPanel, MOST_WHOLE_BYTES, type PanelSize, sizeOfRows, studyBytes } from '#shared/lab/panel.ts'
import { columnsNamed } from '#shared/lab/panelFormula.ts'
import { formulasOf, type Study } from '#shared/lab/studyDocument.ts'
import { neededDiskBytes, refuseLargeStudy } from '#shared/lab/studyMemory.ts'
import { studyRange } from '#shared/lab/studyRange.ts'
import { type StudyPanel, wholePanel } from '#shared/lab/studyPanel.ts'
import { blockReading } from './blockPanel.ts'
import type { PanelFile } from './panelCheck.ts'
import { namingFile, readPanelBatches } from './panelFile.ts'
import { bytesOfRow, joinBatches, type PanelFacts, type PanelBatch } from './panelBatches.ts'
import { refuseWithoutRoom, SpillFile } from './spill.ts'
import { SpilledRows } from './spilledRows.ts'

export interface FilePanelOptions {
  scratchFolder: string
  /** Memory that the rows and cells may take before they are kept in a file. */
  mostWholeBytes?: number
  /** Rows that are read together; tests make them few. */
  batchRows?: number
  checkpoint?: Checkpoint
}

/** A panel file that is open for a study; closing it gives its disk space back. */
interface OpenFilePanel {
  panel: StudyPanel
  close(): void
}

/**
 * Opens a panel file for a study. Its rows are kept in memory until they and their cells would take too much; from then on
 * they are written to a temporary file. Throws a `PanelError` that names the file where it cannot be used.
 */
export async function openFilePanel(study: Study, file: PanelFile, options: FilePanelOptions): Promise<OpenFilePanel> {
  const rows = new FileRows(study, options)
  try {
    const columns = columnsNamed(formulasOf(study).map(({ formula }) => formula))
    const facts = await readPanelBatches(file, columns, (batch) => rows.add(batch), options.batchRows)
    return await namingFile(file.path, () => rows.open(facts))
  } catch (error) {
    rows.close()
    throw error
  }
}

/** Rows of a panel file, in memory or in a temporary file. */
class FileRows {
  readonly #study: Study
  readonly #options: FilePanelOptions
  readonly #mostBytes: number
  #batches: PanelBatch[] = []
  #bytes = 0
  #spill: SpillFile | null = null
  #spilled: SpilledRows | null = null

  constructor(study: Study, options: FilePanelOptions) {
    this.#study = study
    this.#options = options
    this.#mostBytes = options.mostWholeBytes ?? MOST_WHOLE_BYTES
  }

  add(batch: PanelBatch): void {
    const { checkpoint = neverCancelled } = this.#options
    checkpoint()
    if (this.#spilled) return this.#spilled.add(batch)
    this.#batches.push(batch)
    const [rows, columns] = [batch.times.length, batch.columns.size]
    this.#bytes += rows * bytesOfRow(columns) + studyBytes(rows, columns)
    if (this.#bytes > this.#mostBytes) this.#startSpill()
  }

  /** Writes the rows so far to a file, which then takes all others too. */
  #startSpill(): SpilledRows {
    const columns = [...(this.#batches[0]?.columns.keys() ?? [])]
    this.#spill = new SpillFile(this.#options.scratchFolder)
    this.#spilled = new SpilledRows(this.#spill, studyRange(this.#study), columns)
    for (const batch of this.#batches) this.#spilled.add(batch)
    this.#batches = []
    return this.#spilled
  }

  open(facts: PanelFacts): OpenFilePanel {
    const whole = this.#spilled ? null : this.#openWhole(facts)
    return whole ?? this.#openSpilled(this.#spilled ?? this.#startSpill(), facts)
  }

  /** Puts the rows on the grid in memory; null where few rows make many cells. */
  #openWhole(facts: PanelFacts): OpenFilePanel | null {
    const rows = joinBatches(this.#batches, facts)
    const range = studyRange(this.#study)
    const { times, symbols, columns } = sizeOfRows(rows, range)
    if (studyBytes(times * symbols, columns) > this.#mostBytes) return null
    this.#batches = []
    return { panel: wholePanel(buildPanel(rows, range)), close: () => undefined }
  }

  #openSpilled(rows: SpilledRows, { names, columns, otherColumns, columnNames }: PanelFacts): OpenFilePanel {
    const spill = this.#spill!
    const { intervalMs } = studyRange(this.#study)
    const size: PanelSize = { ...rows.size(), columns: columns.length, intervalMs }
    refuseLargeStudy(this.#study, size)
    refuseWithoutRoom(this.#options.scratchFolder, neededDiskBytes(this.#study, size))
    const grid = rows.grid(names)
    const panel: StudyPanel = {
      ...grid,
      ...blockReading(spill, { times: size.times, symbols: size.symbols }),
      otherColumns,
      columnNames,
      seriesNames: columns,
      series: (name, symbol) => (columns.includes(name) ? rows.series(name, symbol) : null),
    }
    return { panel, close: () => this.close() }
  }

  close(): void {
    this.#spill?.close()
    this.#spill = null
  }
}
