import { formatNumber } from '#shared/units/numbers.ts'
import { agree, plural } from '#shared/units/plurals.ts'

/** Says which files contain raw events; `dailyFilesFrom` is null if the catalog does not say when daily files begin. */
export const rawPeriodsText = (dailyFilesFrom: string | null) =>
  dailyFilesFrom === null
    ? 'Raw events, in monthly or daily files.'
    : `Raw events, in monthly files before ${dailyFilesFrom} and daily files from then on.`

/** Texts about the preview files that the raw-event catalog lists. */
export const previewText = {
  offer: 'Import these',
  hide: 'Hide the files',
  ask: (files: number) =>
    `Ask your data provider for ${plural(files, 'file')}, then import ${agree(files, 'it', 'them')}. Perpscope recognises ${agree(files, 'it by this path', 'them by these paths')}:`,
  line: (first: string, files: number) =>
    files === 1 ? first : `${first} and the following days, ${plural(files, 'file')}`,
  copy: 'Copy all paths',
  copied: (files: number) => `Copied ${plural(files, 'path')}`,
  open: 'Open the import',
} as const

/** Texts about the symbols that the catalog search finds. */
export const foundSymbolsText = {
  title: 'Symbols',
  more: (count: number) => `and ${formatNumber(count, 0)} more under Coverage`,
} as const

export const noCatalogText = {
  title: 'No catalog.',
  set: 'Set its address',
  retry: 'Look again',
} as const

/** Texts that lead a person without a key to previews. */
export const previewHintText = {
  offers: (slice: string | null) =>
    slice === null ? 'This connection offers previews without a key.' : `This connection offers a preview: ${slice}.`,
  download: 'Download the preview',
  none: 'No API key yet? Some services show a preview without one.',
  add: 'Add a connection of previews',
} as const
