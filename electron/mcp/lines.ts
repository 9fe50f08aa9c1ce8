import type { Readable } from 'node:stream'

const MOST_LINE_BYTES = 1_000_000
const LINE_FEED = 0x0a

/** Reads lines of UTF-8; yields null in place of a line that is too long, without buffering it. */
export async function* boundedLines(input: Readable): AsyncGenerator<string | null> {
  let pieces: Buffer[] = []
  let bytes = 0
  const line = () => (bytes > MOST_LINE_BYTES ? null : Buffer.concat(pieces).toString('utf8').trim())
  const keep = (piece: Buffer) => {
    bytes += piece.length
    if (bytes > MOST_LINE_BYTES) pieces = []
    else pieces.push(piece)
  }
  for await (const chunk of input as AsyncIterable<Buffer | string>) {
    let remaining: Buffer = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    for (let end = remaining.indexOf(LINE_FEED); end >= 0; end = remaining.indexOf(LINE_FEED)) {
      keep(remaining.subarray(0, end))
      const completeLine = line()
      if (completeLine !== '') yield completeLine
      ;[pieces, bytes, remaining] = [[], 0, remaining.subarray(end + 1)]
    }
    keep(remaining)
  }
  const last = line()
  if (last !== '') yield last
}
