import { formatBytes } from '#shared/units/bytes.ts'
import { plural } from '#shared/units/plurals.ts'

/** Texts on removing files from the cache. */
export const removalText = {
  filesToo: (files: number, sizeBytes: number) => `Remove its ${plural(files, 'file')} too (${formatBytes(sizeBytes)})`,
  filesGo: 'Its files leave the cache for good.',
  filesStay: 'Its files stay on disk.',
  remove: 'Remove the file',
  confirm: (dataset: string, period: string) => `Remove ${dataset} of ${period} from the cache?`,
  yes: 'Remove',
  keep: 'Keep it',
  undo: 'Remove again',
  removed: (files: number) => `Removed ${plural(files, 'file')} from the cache`,
} as const
