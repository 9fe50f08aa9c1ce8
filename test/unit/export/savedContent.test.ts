import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { writeSynced } from '#core/writeSynced.ts'
import { createSaves } from '../../../electron/web/saves.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const PIECE_BYTES = 1 << 20
const PIECES = 40

/** Yields every piece in the same memory, which threads share, as an export does. */
async function* reusedPieces(onEnd = () => {}): AsyncGenerator<Uint8Array> {
  const piece = new Uint8Array(new SharedArrayBuffer(PIECE_BYTES))
  try {
    for (let number = 0; number < PIECES; number++) {
      await wait(1)
      yield piece.fill(number)
    }
  } finally {
    onEnd()
  }
}

function expectAllPieces(bytes: Uint8Array): void {
  expect(bytes.length).toBe(PIECES * PIECE_BYTES)
  const wrong = bytes.findIndex((value, at) => value !== Math.floor(at / PIECE_BYTES))
  expect(wrong).toBe(-1)
}

/** Offers a file to a browser. @returns the file's address, and how the offer ended */
async function offer(open: () => AsyncGenerator<Uint8Array>) {
  const saves = createSaves()
  const server = createServer((request, response) => void saves.answer(request.url!.split('/').at(-1)!, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const announced = Promise.withResolvers<string>()
  const saved = saves.saverFor(({ path }) => announced.resolve(path))({ name: 'a.csv', type: 'text/csv' }, open)
  return { address: `http://127.0.0.1:${port}${await announced.promise}`, saved }
}

it('writes pieces that share memory as they were given', async () => {
  const path = join(temporaryFolder(), 'a.csv')
  await writeSynced(path, reusedPieces())
  expectAllPieces(readFileSync(path))
  await expect(writeSynced(path, reusedPieces())).rejects.toThrow('EEXIST')
})

it('sends pieces that share memory as they were given to a slow browser', async () => {
  const { address, saved } = await offer(() => reusedPieces())
  const received: Buffer[] = []
  const [response] = (await once(get(address), 'response')) as [AsyncIterable<Buffer>]
  for await (const part of response) {
    received.push(part)
    if (received.length % 100 === 0) await wait(5)
  }
  expectAllPieces(Buffer.concat(received))
  await expect(saved).resolves.toEqual({ name: 'a.csv', path: null })
})

it('ends the export when the browser goes away', async () => {
  const ended = Promise.withResolvers<void>()
  const { address, saved } = await offer(() => reusedPieces(ended.resolve))
  const request = get(address)
  const [response] = (await once(request, 'response')) as [NodeJS.ReadableStream]
  await once(response, 'readable')
  request.destroy()
  await expect(saved).rejects.toMatchObject({ code: 'disconnected' })
  await ended.promise
})
