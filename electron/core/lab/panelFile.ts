import { statSync } from 'node:fs'
import { extname } from 'node:path'
import { specialKind } from '#shared/units/fileKind.ts'
import { PanelError } from '#shared/lab/panel.ts'
import { readCsvPanel } from './csvPanel.ts'
import type { PanelFile } from './panelCheck.ts'
import { type OnBatch, BATCH_ROWS, type PanelHead } from './panelBatches.ts'
import type { WantedColumns } from './panelHeader.ts'
import { withFileName } from './panelFileError.ts'
import { readParquetPanel } from './parquetPanel.ts'

/** Reads the named columns of a panel file in batches; throws a `PanelError` that names the file. */
export async function readPanelBatches(
  { path, known }: PanelFile,
  columns: WantedColumns,
  onBatch: OnBatch,
  batchRows = BATCH_ROWS,
): Promise<PanelHead> {
  return withFileName(path, async () => {
    const facts = statSync(path, { throwIfNoEntry: false })
    if (!facts) throw new PanelError('there is no such file.')
    const kind = specialKind(facts)
    if (kind) throw new PanelError(`it is ${kind}, not a file.`)
    const extension = extname(path).toLowerCase()
    if (extension === '.csv') return readCsvPanel(path, columns, { onBatch, batchRows })
    if (extension === '.parquet') return readParquetPanel({ path, known }, columns, { onBatch, batchRows })
    throw new PanelError('a panel is a file whose name ends in .csv or .parquet.')
  })
}
