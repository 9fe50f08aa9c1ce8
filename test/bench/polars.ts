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

/** Too large to be installed with everything else; BENCHMARKS.md says how to get it. */
async function loadPolars(): Promise<Polars> {
  const name: string = 'nodejs-polars'
  try {
    return ((await import(name)) as { default: Polars }).default
  } catch {
    throw new NotHere('nodejs-polars is not installed; BENCHMARKS.md says how')
  }
}

/** The files of a folder through Polars, with as many threads as there are processors. */
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
