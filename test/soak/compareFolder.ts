import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { ListedFile } from '#shared/contract/areas/cache.ts'
import type { Client } from '#shared/contract/client.ts'

/**
 * Compares folder and index by walking the folder: each file must be in both, with equal size and content. Returns the
 * differences.
 */
export async function compareFolder(client: Client, dataDir: string): Promise<string[]> {
  const folder = join(dataDir, 'files')
  const inFolder = new Set(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter((path) => statSync(path).isFile()),
  )
  const differences: string[] = []
  for await (const { path, sizeBytes, sha256 } of listAll(client)) {
    if (!inFolder.delete(path)) differences.push(`only in the index: ${path}`)
    else if (statSync(path).size !== sizeBytes) differences.push(`another size: ${path}`)
    else if (createHash('sha256').update(readFileSync(path)).digest('hex') !== sha256)
      differences.push(`another content: ${path}`)
  }
  return [...differences, ...[...inFolder].map((path) => `only in the folder: ${path}`)]
}

async function* listAll(client: Client): AsyncGenerator<ListedFile> {
  for (const { id: connectionId } of await client.call('connections.list', {})) {
    let after = null
    for (;;) {
      const { files }: { files: ListedFile[] } = await client.call('cache.list', { connectionId, after, limit: 5000 })
      yield* files
      const last = files.at(-1)
      if (!last || files.length < 5000) break
      after = { series: last.series, period: last.period }
    }
  }
}
