import { createReadStream } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FaultEffects } from '../faults/faults.ts'
import { bodySize, htmlPage, type Reply } from './reply.ts'

const CHUNK_BYTES = 64 * 1024

/** Resolves after `ms`, or immediately if the client has disconnected. */
function pause(ms: number, response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer)
      response.off('close', finish)
      resolve()
    }
    const timer = setTimeout(finish, ms)
    response.once('close', finish)
  })
}

const waitForDrain = (response: ServerResponse) =>
  new Promise<void>((resolve) => {
    const finish = () => {
      response.off('drain', finish)
      response.off('close', finish)
      resolve()
    }
    response.once('drain', finish)
    response.once('close', finish)
  })

async function* chunksOf(body: Reply['body'], chunkBytes: number): AsyncGenerator<Uint8Array> {
  if (body instanceof Uint8Array) {
    for (let at = 0; at < body.length; at += chunkBytes) yield body.subarray(at, at + chunkBytes)
  } else if (body.end > body.start) {
    yield* createReadStream(body.path, { start: body.start, end: body.end - 1, highWaterMark: chunkBytes })
  }
}

/** Flips those bytes of a chunk that are in the middle of the body; the length stays the same. */
function corruptChunk(chunk: Uint8Array, offset: number, size: number): Uint8Array {
  const middle = Math.floor(size / 2)
  const from = Math.max(0, middle - 8 - offset)
  const to = Math.min(chunk.length, middle + 8 - offset)
  if (from >= to) return chunk
  const copy = Uint8Array.from(chunk)
  for (let i = from; i < to; i++) copy[i] ^= 0xff
  return copy
}

/** Writes the body as far as the effects allow; returns false if it was cut short. */
async function writeBody(response: ServerResponse, body: Reply['body'], effects: FaultEffects): Promise<boolean> {
  const size = bodySize(body)
  const announcedBytes = size + (effects.lengthOffset ?? 0)
  const stopAtByte = Math.min(effects.cutAfterBytes ?? Infinity, effects.stallAfterBytes ?? Infinity, announcedBytes)
  const rate = effects.bytesPerSecond
  const chunkBytes = rate ? Math.max(1, Math.min(CHUNK_BYTES, Math.ceil(rate / 10))) : CHUNK_BYTES
  let sentBytes = 0
  for await (const chunk of chunksOf(body, chunkBytes)) {
    if (response.destroyed || sentBytes >= stopAtByte) break
    const outgoingChunk = effects.corrupt ? corruptChunk(chunk, sentBytes, size) : chunk
    const part = outgoingChunk.subarray(0, stopAtByte - sentBytes)
    if (!response.write(part)) await waitForDrain(response)
    sentBytes += part.length
    if (rate) await pause((part.length / rate) * 1000, response)
  }
  return sentBytes >= announcedBytes
}

/** Sends a reply, disturbed by the effects. */
export async function send(
  request: IncomingMessage,
  response: ServerResponse,
  genuine: Reply,
  effects: FaultEffects,
): Promise<void> {
  if (effects.latencyMs) await pause(effects.latencyMs, response)
  if (effects.drop) {
    response.destroy()
    return
  }
  const reply = effects.html ? htmlPage(200) : genuine
  const length = Math.max(0, bodySize(reply.body) + (effects.lengthOffset ?? 0))
  // A 304 has no body and no Content-Length.
  const framing = reply.status === 304 ? {} : { 'content-length': String(length) }
  response.writeHead(reply.status, { ...reply.headers, ...framing })
  if (request.method === 'HEAD' || reply.status === 304) {
    response.end()
    return
  }
  response.flushHeaders()
  const isComplete = await writeBody(response, reply.body, effects)
  if (isComplete) response.end()
  else if (effects.stallAfterBytes === undefined) response.destroy()
}
