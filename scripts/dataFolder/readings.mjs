/** Lists commands that read the content of a filled data folder. All print JSON, and none sends a request to a service. */
import { hourlyOptions, instrumentOptions, portfolioRequests } from './fill.mjs'

const readCommand = (dataset, start, end, more = []) => [
  'read',
  '--dataset',
  dataset,
  ...hourlyOptions,
  '--start',
  start,
  '--end',
  end,
  ...more,
]
const rawMinuteOptions = ['--timestamp', 'true', '--start', '2026-09-01T10:00:00Z', '--end', '2026-09-01T10:05:00Z']

/** @param {{ overlays: string[], regimes: string[] }} known */
export const readingCommands = (known) => [
  ['connection', 'list'],
  ['set', 'list'],
  ['queue', 'list', '--all'],
  ['symbols', '--exchange', 'venuea-futures'],
  ['coverage', '--dataset', 'trades'],
  ['ls'],
  ['ls', '--connection', 'archive'],
  ['verify', '--deep'],
  readCommand('vtwap', '2026-09-01', '2026-09-03'),
  readCommand('ohlcv', '2026-09-01', '2026-09-02'),
  readCommand('vtwap', '2026-07-30', '2026-07-31', ['--connection', 'archive']),
  ...['trades', 'funding_rate', 'open_interest'].map((dataset) => [
    'read',
    '--dataset',
    dataset,
    ...instrumentOptions,
    ...rawMinuteOptions,
  ]),
  ...portfolioRequests(known).map((request) => ['portfolio', ...request]),
]

/**
 * Keys whose values may differ between versions: texts for users are reworded, pauses expire (`holds`), and old live
 * answers report that a refresh failed (`trouble`). In version 0.1.0 `dataEndsAt` was wrong: it was always the end of
 * the request, even if the data ended earlier.
 */
const notCompared = new Set(['sentence', 'remedy', 'words', 'detail', 'holds', 'trouble', 'dataEndsAt'])

/**
 * Parses the output of a command, drops the keys that may differ and replaces the path of the data folder.
 * @param {string} stdout
 * @param {string} dataDir
 */
export function comparableOutput(stdout, dataDir) {
  const text = stdout.replaceAll(JSON.stringify(dataDir).slice(1, -1), '<data>')
  const reviver = (key, value) => (notCompared.has(key) ? undefined : value)
  try {
    return JSON.parse(text, reviver)
  } catch {
    const lines = text.split('\n').filter(Boolean)
    return lines.map((line) => JSON.parse(line, reviver))
  }
}
