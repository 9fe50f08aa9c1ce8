import { dirname, join } from 'node:path'
import { NotHere } from './benchLine.ts'

interface DataFrame {
  getColumn(name: string): { toTypedArray(): unknown }
}

interface LazyFrame {
  select(...names: string[]): LazyFrame
  collect(): Promise<DataFrame>
  sinkCSV(path: string): LazyFrame
}

interface Polars {
  scanParquet(source: string): LazyFrame
}

/** Loads Polars if it is installed; it is too large to come with the other packages. */
async function loadPolars(): Promise<Polars> {
  const name: string = 'nodejs-polars'
  try {
    return ((await import(name)) as { default: Polars }).default
  } catch {
    throw new NotHere('nodejs-polars is not installed; BENCHMARKS.md says how')
  }
}

/** Opens the files of a folder with Polars, which uses all processors. */
export async function polarsOver(paths: readonly string[]) {
  const polars = await loadPolars()
  const scan = () => polars.scanParquet(join(dirname(paths[0]), '*.parquet'))
  return {
    async read(names: readonly string[]) {
      const frame = await scan()
        .select(...names)
        .collect()
      for (const name of names) frame.getColumn(name).toTypedArray()
    },
    writeCsv: (path: string) => scan().sinkCSV(path).collect(),
  }
}
