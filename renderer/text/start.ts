import { formatBytes } from '#shared/units/bytes.ts'
import { formatNumber } from '#shared/units/numbers.ts'
import { plural } from '#shared/units/plurals.ts'

const formatCount = (value: number) => formatNumber(value, 0)

export const startText = {
  label: 'Getting started',
  sample: {
    title: 'Explore sample data',
    sandbox: 'Sandbox',
    body: 'Ten synthetic days of BTC: price, order flow, funding.',
    bodyHint: 'The data comes from services that ship with Perpscope and invent a market.',
    downloading: 'Ten synthetic days of BTC are downloading.',
    open: 'Open sample',
    get: 'Get sample data',
    remove: 'Remove sample data',
    undo: 'Undo',
    removed: (files: number, sizeBytes: number) =>
      `Sample data removed: ${plural(files, 'file')}, ${formatBytes(sizeBytes)}`,
  },
  connect: {
    body: 'Enter the addresses of your metrics and portfolio services, and your API key, which is stored in the keychain.',
    open: 'Connect a service',
  },
  files: {
    body: 'Choose raw-event files that you already have, or drop them anywhere on this window.',
    choose: 'Open Parquet files …',
  },
  steps: {
    title: 'First steps',
    count: (done: number, of: number) => `${formatCount(done)} of ${formatCount(of)}`,
    coverage: 'Explore coverage',
    download: 'Download a range',
    portfolio: 'Open a portfolio',
    connect: 'Connect your own service',
    done: ', done',
  },
  hide: 'Hide the first steps',
  hideHint: 'The command “Show the first steps” brings them back.',
} as const
