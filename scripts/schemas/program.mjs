/** Opens the program whose types are described, and writes the descriptions as text. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

export const root = fileURLToPath(new URL('../..', import.meta.url))

export function openProgram(...files) {
  const config = ts.readConfigFile(join(root, 'tsconfig.core.json'), ts.sys.readFile).config
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
  return ts.createProgram(files, { ...options, incremental: false, tsBuildInfoFile: undefined })
}

/** A line for each entry, so that git shows which shape changed. */
export const entryLines = (entries) =>
  Object.entries(entries)
    .map(([name, schema]) => `${JSON.stringify(name)}: ${JSON.stringify(schema)}`)
    .join(',\n')

export const sorted = (record) => Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))
