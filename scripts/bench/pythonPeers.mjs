/**
 * Installs the Python peers that the benchmark lines need, writes their locations to a new file, and puts the path of
 * that file into PERPSCOPE_PEERS.
 */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installPeers } from '../peers/install.mjs'

export async function installPythonPeers(lines, say) {
  const wanted = new Set(lines.flatMap(({ python }) => python ?? []))
  if (wanted.size === 0) return
  const peers = await installPeers(say, (id) => wanted.has(id))
  process.env.PERPSCOPE_PEERS = join(mkdtempSync(join(tmpdir(), 'perpscope-peers-')), 'peers.json')
  writeFileSync(process.env.PERPSCOPE_PEERS, JSON.stringify(peers))
}
