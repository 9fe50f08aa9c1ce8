import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { finished } from 'node:stream/promises'
import { safeFileName } from '#shared/units/fileNames.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { FileContent, SaveFile } from '#core/ports.ts'

const FETCH_WITHIN_MS = 60_000

interface Offer {
  name: string
  type: string
  open: () => FileContent
  settle(error: AppError | null): void
}

/** Files offered to the browser, each under an unguessable path that works once. */
export interface Saves {
  /** Returns a `SaveFile` that calls `announce` to tell the window where to download the file. */
  saverFor(announce: (ready: { path: string; name: string }) => void): SaveFile
  /** @returns false if no file is offered under this id */
  answer(id: string, response: ServerResponse): Promise<boolean>
}

export function createSaves(): Saves {
  const offerById = new Map<string, Offer>()

  const saverFor: Saves['saverFor'] = (announce) => async (wanted, open) => {
    const file = { ...wanted, name: safeFileName(wanted.name) }
    const saved = await offerFile(announce, file, open)
    if (file.companion)
      await offerFile(
        announce,
        { name: file.name + file.companion.suffix, type: file.companion.type },
        file.companion.open,
      )
    return saved
  }

  const offerFile = (
    announce: (ready: { path: string; name: string }) => void,
    file: { name: string; type: string },
    open: () => FileContent,
  ) =>
    new Promise<{ name: string; path: null }>((resolve, reject) => {
      const id = randomBytes(32).toString('base64url')
      const expiry = setTimeout(
        () => settle(new AppError('timeout', 'The browser did not fetch the file.')),
        FETCH_WITHIN_MS,
      )
      const settle = (error: AppError | null) => {
        clearTimeout(expiry)
        offerById.delete(id)
        if (error) reject(error)
        else resolve({ name: file.name, path: null })
      }
      offerById.set(id, { ...file, open, settle })
      announce({ path: `/save/${id}`, name: file.name })
    })

  async function answer(id: string, response: ServerResponse): Promise<boolean> {
    const offer = offerById.get(id)
    if (!offer) return false
    offerById.delete(id)
    // There is no timeout, because the first bytes may take a long time. Strangers cannot keep connections open here,
    // because only the window knows this address.
    response.setTimeout(0)
    response.writeHead(200, {
      'Content-Type': offer.type,
      'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(offer.name)}`,
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    })
    // If the source fails, the transfer is cut, so that the browser reports a failed download instead of keeping half a
    // file.
    await send(offer.open(), response).then(
      () => offer.settle(null),
      (cause: unknown) => {
        response.destroy()
        offer.settle(new AppError('disconnected', 'The download was cut off.', { cause }))
      },
    )
    return true
  }

  return { saverFor, answer }
}

/** Sends a file; the next chunk is requested when the system has accepted the previous one. */
async function send(content: FileContent, response: ServerResponse): Promise<void> {
  for await (const piece of content) await write(piece, response)
  response.end()
  await finished(response)
}

function write(piece: Uint8Array | string, response: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (cause?: unknown) => reject(new Error('The connection was closed.', { cause }))
    if (response.destroyed) return fail()
    response.once('close', fail)
    response.write(piece, (error) => {
      response.off('close', fail)
      if (error) fail(error)
      else resolve()
    })
  })
}
