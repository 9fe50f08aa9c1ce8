import type { ImportOutcome, InspectedFile } from '#shared/contract/areas/raw.ts'
import { formatBytes } from '#shared/units/bytes.ts'
import { exit, type ExitStatus } from './command.ts'
import type { Output } from './print.ts'

type FileState = ImportOutcome['state']

/** Prints one line per imported file, and a summary at the end. */
export function createImportReport(out: Output) {
  const counts: Record<FileState, number> = { imported: 0, cached: 0, conflict: 0, failed: 0 }
  let bytes = 0

  function report(
    file: Pick<InspectedFile, 'name'> & Partial<InspectedFile>,
    state: FileState,
    path: string | null,
    error: string | null,
  ) {
    counts[state]++
    const { name, dataset = null, exchange = null, symbol = null, period = null, sizeBytes = 0, rows = null } = file
    const warnings = (file.issues ?? []).filter(({ level }) => level === 'warning').map(({ message }) => message)
    if (state === 'imported') bytes += sizeBytes
    out.record(
      { file: name, dataset, exchange, symbol, period, state, bytes: sizeBytes, rows, path, warnings, error },
      () => [state, name, dataset, exchange, symbol, period].filter(Boolean).join('  '),
    )
    for (const message of warnings) if (error === null) out.note(`${name}: ${message}`)
    if (error !== null) out.problem(`${name}: ${error}`)
  }

  return {
    unusable: (path: string, problem: string) => report({ name: path }, 'failed', null, problem),
    refused(file: InspectedFile) {
      const errors = file.issues.filter(({ level }) => level === 'error').map(({ message }) => message)
      report(file, 'failed', null, errors.join(' '))
    },
    ended: (file: InspectedFile, { state, path, error }: ImportOutcome) =>
      report(file, state, path, error && (error.detail ?? error.sentence)),
    end(): ExitStatus {
      const { imported, cached, conflict, failed } = counts
      out.record({ summary: { ...counts, bytes } }, () =>
        [
          `${imported} imported (${formatBytes(bytes)})`,
          cached > 0 && `${cached} already cached`,
          conflict > 0 && `${conflict} in conflict`,
          failed > 0 && `${failed} failed`,
        ]
          .filter(Boolean)
          .join(', '),
      )
      const badFiles = conflict + failed
      if (badFiles === 0) return exit.done
      return imported + cached > 0 ? exit.partial : exit.failed
    },
  }
}
