/**
 * Publishes the files of a folder into a shared store. Arguments: store, folder of files named by their day, name of
 * the writer. At the step that `KILL_AT` names (`inside DAY`, `after DAY`, `inside manifest`, `after manifest`), the
 * process kills itself as a power cut would.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { publishFiles } from '#core/sharedStore/publishFiles.ts'
import { type Content } from '#core/sharedStore/storeFiles.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import { dayNumberOf } from '#shared/time/periods.ts'
import { flowSeries } from './cachedFiles.ts'
import { folderFiles } from './storeFolder.ts'

const [root, folder, writer] = process.argv.slice(2)
const store = folderFiles(root)
const die = () => process.kill(process.pid, 'SIGKILL')

/** Returns content whose reader kills the process in the middle of it. */
const cutContent = (content: Content): Content => ({
  ...content,
  async *open() {
    for await (const chunk of content.open()) {
      yield chunk.subarray(0, chunk.length >> 1)
      die()
    }
  },
})

async function write(...[path, content, signal]: Parameters<typeof store.write>): Promise<void> {
  const name = path.endsWith('.parquet') ? path.split('/').at(-1)!.slice(0, 10) : 'manifest'
  const isCut = process.env.KILL_AT === `inside ${name}`
  await store.write(path, isCut ? cutContent(content) : content, signal)
  if (process.env.KILL_AT === `after ${name}`) die()
}

const nowMs = Date.parse('2026-10-01')
const cached = readdirSync(folder)
  .toSorted()
  .map((name): CachedFile => {
    const period = name.replace('.parquet', '')
    const bytes = readFileSync(join(folder, name))
    return {
      series: flowSeries({ connectionId: 'desk', dataset: 'vtwap', interval: '1h' }),
      period,
      startDay: dayNumberOf(period),
      endDay: dayNumberOf(period) + 1,
      state: 'final',
      origin: 'service',
      sizeBytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      etag: null,
      fetchedAtMs: nowMs,
      usedAtMs: nowMs,
      pinned: false,
      changedUpstreamAtMs: null,
    }
  })
const pathOf = ({ period }: CachedFile) => join(folder, `${period}.parquet`)
const deps = { files: { ...store, write }, writer, pathOf, log: { write: () => {} } }
const result = await publishFiles(deps, cached, { signal: new AbortController().signal, progress: () => {} })
process.stdout.write(JSON.stringify(result))
