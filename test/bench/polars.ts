import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { pythonOf } from './pythonPeer.ts'

/**
 * Python program that answers each request (a line of JSON) with the milliseconds of its work, so that starting Python
 * does not count.
 */
const program = `
import json, sys, time
import polars as pl
files = sys.argv[1] + '/*.parquet'
for line in sys.stdin:
    request = json.loads(line)
    start = time.perf_counter()
    if 'columns' in request:
        frame = pl.scan_parquet(files).select(request['columns']).collect()
        arrays = [frame[name].to_numpy() for name in request['columns']]
    else:
        pl.scan_parquet(files).sink_csv(request['csv'])
    print((time.perf_counter() - start) * 1000, flush=True)
`

/** Opens the files of a folder with Polars in Python, which uses all processors. Both methods return milliseconds. */
export function polarsOver(paths: readonly string[]) {
  const python = spawn(pythonOf('polars'), ['-c', program, dirname(paths[0])], { stdio: ['pipe', 'pipe', 'inherit'] })
  const answers = createInterface(python.stdout)[Symbol.asyncIterator]()
  const ask = async (request: object) => {
    python.stdin.write(`${JSON.stringify(request)}\n`)
    const { value, done } = await answers.next()
    if (done) throw new Error('Polars ended without an answer')
    return Number(value)
  }
  return {
    read: (columns: readonly string[]) => ask({ columns }),
    writeCsv: (path: string) => ask({ csv: path }),
    async close() {
      python.stdin.end()
      await once(python, 'exit')
    },
  }
}
