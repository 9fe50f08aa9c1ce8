import { formatNumber } from '#shared/units/numbers.ts'
import { plural } from '#shared/units/plurals.ts'

export const storesText = {
  reload: 'Reload',
  downloads: {
    finished: (done: number, failed: number) =>
      `${plural(done, 'file')} downloaded${failed ? `, ${formatNumber(failed, 0)} failed` : ''}`,
    show: 'Show',
    findings: (findings: number) => `${plural(findings, 'data-quality finding')} in the new files`,
    showFindings: 'Show findings',
  },
  files: {
    noTables: (name: string) => `The folder ${name} has no CSV or Parquet files.`,
    received: (names: readonly string[]) => `Received ${names.length === 1 ? names[0] : plural(names.length, 'file')}`,
    showInFolder: 'Show in folder',
  },
  reports: {
    saved: (name: string, sources: number) => `Saved ${name}, from ${plural(sources, 'file')}`,
    /** Title of the command that saves a report, the same on every screen. */
    title: 'Report (HTML) …',
    copyNotebook: 'Copy as notebook',
    copiedNotebook: 'Copied as a Jupyter notebook: save it as a file whose name ends in .ipynb.',
  },
  documents: {
    /** Message that the open document was saved as a copy with this name. */
    savedAs: (name: string) => `Saved as “${name}”`,
    savedLater: (name: string, savedAs: string) =>
      `Saved the changes to “${name}” that could not be saved before${savedAs === name ? '' : `, as “${savedAs}”`}`,
  },
  workspaces: {
    firstName: 'Workspace',
    full: {
      panes: (most: number) =>
        `A workspace has at most ${most} panes. Add the series to one of them, or remove a pane.`,
      series: (most: number) => `A pane has at most ${most} series. Add the series to another pane, or remove one.`,
    },
    notReopened: (name: string) =>
      `“${name}” was not reopened, because Perpscope did not finish opening it last time. You can still choose it from the list.`,
  },
  panes: { window: 'Open in its own window', tab: 'Open in its own tab' },
  palette: { search: 'Search commands, symbols and data' },
} as const
