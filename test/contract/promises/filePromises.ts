import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parquetMetadata } from 'hyparquet'
import { fieldsOfValue } from './fields.ts'
import { sortedSet, type Promises } from './promises.ts'
import type { ScenarioWorld } from './scenarioWorld.ts'

/**
 * Lists the layout of the data folder and of exports, the headers of CSV files, and the columns and metadata of Parquet
 * files.
 */
export async function filePromises(world: ScenarioWorld): Promise<Promises> {
  const at = (name: string) => join(world.folder, name)
  const csvFiles = ['one.csv', 'two.csv', 'raw.csv', 'read.csv']
  const parquetFiles = ['one.parquet', 'two.parquet', 'computed.parquet']
  const sheet = await world.run('portfolio tearsheet (csv)', [
    ...[
      'portfolio',
      'tearsheet',
      '--portfolio',
      'momentum_ls.20',
      '--benchmark',
      'BTC',
      '--format',
      'csv',
      '--offline',
    ],
    ...['--start', '2025-01-01', '--end', '2026-08-10'],
  ])
  return {
    'data folder': sortedSet(dataFolderPaths(world.dataDir)),
    'export files': sortedSet([
      ...readdirSync(world.folder).filter((name) => name.startsWith('one.')),
      ...pathsBelow(at('hive')).map((path) => `hive: ${path}`),
      ...pathsBelow(at('rawhive')).map((path) => `raw hive: ${path}`),
    ]),
    'csv columns': sortedSet([
      ...csvFiles.flatMap((name) => csvHead(readFileSync(at(name), 'utf8')).map((column) => `${name}: ${column}`)),
      ...csvHead(sheet.stdout).map((column) => `tearsheet: ${column}`),
      ...csvLabels(sheet.stdout).map((label) => `tearsheet: ${label}`),
    ]),
    'parquet columns': sortedSet(parquetFiles.flatMap((name) => parquetColumns(name, at(name)))),
    'parquet metadata': sortedSet(parquetFiles.flatMap((name) => parquetKeys(name, at(name)))),
    'provenance fields': sortedSet([
      ...['one.csv.provenance.json', 'rest.csv.provenance.json'].flatMap((name) =>
        provenanceFields(name, readFileSync(at(name), 'utf8')),
      ),
      ...provenanceFields('hive provenance.json', readFileSync(join(at('hive'), 'provenance.json'), 'utf8')),
    ]),
  }
}

/** Lists the paths below a folder without the parts that differ from run to run: ids, hashes and times. */
const pathsBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) =>
    path
      .replaceAll('\\', '/')
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, '<id>')
      .replace(/[0-9a-f]{64}/g, '<sha256>')
      .replace(/\/[0-9a-f]{2}(?=\/|$)/g, '/<hh>')
      .replace(/\d{4}-\d\d-\d\dT[\d.Z-]+/g, '<time>'),
  )

/**
 * Lists the paths of the data folder without their periods, and without files that are created in idle time or left by
 * an interruption.
 */
const dataFolderPaths = (dataDir: string): string[] =>
  pathsBelow(dataDir)
    .filter((path) => !path.endsWith('.part') && !path.startsWith('summaries'))
    .map((path) => path.replace(/\d{4}-\d\d(-\d\d)?(?=\.parquet)/, '<period>'))

const csvHead = (text: string): string[] => text.slice(0, text.indexOf('\n')).trim().split(',')

/** Lists the names of tables and lines in a tear sheet, by which a script selects. */
const csvLabels = (text: string): string[] =>
  text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','))
    .map(([table, line, column]) => (/^[\d-]*$/.test(line) ? `${table},*,${column}` : `${table},${line},${column}`))

function metadataOf(path: string) {
  const bytes = readFileSync(path)
  return parquetMetadata(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength))
}

const parquetColumns = (name: string, path: string): string[] =>
  metadataOf(path)
    .schema.slice(1)
    .map((column) => {
      const { type, repetition_type: repetition, converted_type: converted, logical_type: logical } = column
      const meaning = logical ? ` ${JSON.stringify(logical)}` : converted ? ` ${converted}` : ''
      return `${name}: ${column.name} ${type} ${repetition}${meaning}`
    })

const parquetKeys = (name: string, path: string): string[] =>
  (metadataOf(path).key_value_metadata ?? []).flatMap(({ key, value }) => [
    `${name}: ${key}`,
    ...(key === 'perpscope.provenance' ? provenanceFields(`${name} ${key}`, value ?? '') : []),
  ])

const provenanceFields = (name: string, text: string): string[] =>
  fieldsOfValue(JSON.parse(text)).map((field) => `${name} ${field}`)
