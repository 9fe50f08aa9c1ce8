import { formatBytes } from '#shared/units/bytes.ts'
import { plural } from '#shared/units/plurals.ts'

export const startText = {
  label: 'Getting started',
  sample: {
    title: 'Explore sample data',
    sandbox: 'Sandbox',
    body: 'Ten days of BTC price, order flow and funding: synthetic data from services that ship with Perpscope.',
    downloading: 'The files are downloading.',
    open: 'Open sample',
    get: 'Get sample data',
    remove: 'Remove sample data',
    undo: 'Undo',
    removed: (files: number, sizeBytes: number) =>
      `Sample data removed: ${plural(files, 'file')}, ${formatBytes(sizeBytes)}`,
  },
  connect: {
    title: 'Connect a service',
    body: 'Enter the addresses of your metrics and portfolio services, and your API key, which is stored in the keychain.',
    open: 'Connections',
  },
  files: {
    title: 'Open Parquet files',
    body: 'Choose raw-event files that you already have, or drop them anywhere on this window.',
    choose: 'Choose files …',
  },
  steps: {
    title: 'First steps',
    coverage: 'Explore coverage',
    download: 'Download a range',
    portfolio: 'Open a portfolio',
    connect: 'Connect your own service',
    done: ', done',
  },
  hide: 'Hide the first steps',
  hideHint: 'The command “Show the first steps” brings them back.',
} as const
