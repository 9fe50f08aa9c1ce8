import { formatBytes } from '#shared/units/bytes.ts'
import { plural } from '#shared/units/plurals.ts'

/** Texts about removing files from the cache. */
export const removalText = {
  filesToo: (files: number, sizeBytes: number) => `Remove its ${plural(files, 'file')} too (${formatBytes(sizeBytes)})`,
  filesGo: 'Its files are removed from the cache permanently.',
  filesStay: 'Its files stay on disk.',
  remove: 'Remove the file',
  confirm: (dataset: string, period: string) => `Remove ${dataset} for ${period} from the cache?`,
  yes: 'Remove',
  keep: 'Keep it',
  undo: 'Undo import',
  removed: (files: number) => `Removed ${plural(files, 'file')} from the cache`,
  filter: {
    label: 'Remove files',
    hint: 'Removes downloaded, imported or computed files that match all of these conditions, including pinned ones.',
    connection: 'Connection',
    dataset: 'Dataset',
    venue: 'Venue',
    origin: 'Origin',
    any: 'any',
    downloaded: 'downloaded',
    imported: 'imported',
    computed: 'computed here',
    symbols: 'Symbols',
    from: 'From',
    to: 'to',
    firstDay: 'first day',
    lastDay: 'last day',
    notADay: 'Enter days such as 2026-08-01.',
    endsBefore: 'The last day is before the first.',
    unknown: (symbol: string) => `No cached symbol is called ${symbol}.`,
    count: 'Count files',
    nothing: 'No file matches.',
    matching: (files: number, sizeBytes: number) =>
      `${plural(files, 'file matches', 'files match')}, ${formatBytes(sizeBytes)}.`,
    remove: (files: number) => `Remove ${plural(files, 'file')}`,
  },
} as const
