import { createReadStream } from 'node:fs'
import type { HiveEntry } from './hiveFiles.ts'

const BLOCK_BYTES = 512
const LONGEST_NAME = 100

/** A tar file (ustar; longer paths in pax records) of files and texts. */
export async function* tarOf(
  entries: readonly HiveEntry[],
  writtenAtSeconds: number,
  signal: AbortSignal,
  onEntry: () => void,
): AsyncGenerator<Uint8Array> {
  for (const entry of entries) {
    signal.throwIfAborted()
    if (Buffer.byteLength(entry.path) > LONGEST_NAME) {
      const record = paxRecord('path', entry.path)
      yield header('././@PaxHeader', record.length, 'x', writtenAtSeconds)
      yield padded(record)
    }
    yield header(entry.path, entry.sizeBytes, '0', writtenAtSeconds)
    if ('text' in entry) {
      yield padded(Buffer.from(entry.text))
    } else {
      let written = 0
      for await (const chunk of createReadStream(entry.source, { signal })) {
        const bytes = chunk as Buffer
        written += bytes.length
        yield bytes
      }
      if (written !== entry.sizeBytes) throw new Error(`${entry.path} changed while it was copied`)
      yield new Uint8Array((BLOCK_BYTES - (written % BLOCK_BYTES)) % BLOCK_BYTES)
    }
    onEntry()
  }
  yield new Uint8Array(2 * BLOCK_BYTES)
}

function header(path: string, sizeBytes: number, type: '0' | 'x', writtenAtSeconds: number): Uint8Array {
  const block = Buffer.alloc(BLOCK_BYTES)
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`
  Buffer.from(path).copy(block, 0, 0, LONGEST_NAME)
  block.write(octal(0o644, 7), 100)
  block.write(octal(0, 7), 108)
  block.write(octal(0, 7), 116)
  block.write(octal(sizeBytes, 11), 124)
  block.write(octal(writtenAtSeconds, 11), 136)
  block.write('        ', 148)
  block.write(type, 156)
  block.write('ustar\x0000', 257)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

/** `length key=value\n`, where the length counts its own digits too. */
function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.byteLength(` ${key}=${value}\n`)
  let length = rest + String(rest).length
  if (rest + String(length).length !== length) length = rest + String(length).length
  return Buffer.from(`${length} ${key}=${value}\n`)
}

function padded(bytes: Uint8Array): Uint8Array {
  const block = new Uint8Array(Math.ceil(bytes.length / BLOCK_BYTES) * BLOCK_BYTES)
  block.set(bytes)
  return block
}
