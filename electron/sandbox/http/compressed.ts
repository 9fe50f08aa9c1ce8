import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import type { Reply } from './reply.ts'

const SMALLEST_BYTES = 1400
const gzipAsync = promisify(gzip)

/** Packs a body for clients that take gzip. A body is packed once: the same bytes give the same packed ones. */
const packed = new WeakMap<Uint8Array, Promise<Uint8Array>>()

export async function compressed(reply: Reply, acceptEncoding: string | string[] | undefined): Promise<Reply> {
  const { body } = reply
  const isWanted = /\bgzip\b/.test(String(acceptEncoding ?? ''))
  if (!isWanted || !(body instanceof Uint8Array) || body.length < SMALLEST_BYTES) return reply
  const packing = packed.get(body) ?? gzipAsync(body, { level: constants.Z_BEST_SPEED })
  packed.set(body, packing)
  return { ...reply, headers: { ...reply.headers, 'content-encoding': 'gzip' }, body: await packing }
}
