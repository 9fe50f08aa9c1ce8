/** An answer that is encoded piece by piece, or whole. */
export interface EncodedAnswer {
  type: string
  pieces: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>
  /** Frees what the answer is made from; also to be called if no piece was read. */
  close(): Promise<void>
}

/** Lets equal requests that wait at the same time share one answer, which is computed and encoded once. */
export interface SharedAnswers {
  /** Adds a request that was received; equal requests have the same key. */
  join(key: string): SharedRequest
}

interface SharedRequest {
  /**
   * Returns the answer that equal requests share; null if there are none, or if it is too large to be kept, so that this
   * request makes its own.
   * @param make makes the answer; its signal is aborted when all of the requests are gone
   */
  whole(make: (signal: AbortSignal) => Promise<EncodedAnswer>): Promise<EncodedAnswer | null>
  /** Removes the request when it was answered or has been given up; the answer goes with the last one. */
  leave(): void
}

interface Sharing {
  requests: number
  controller: AbortController
  made: { version: number; answer: Promise<EncodedAnswer | null> } | null
}

/** Bytes up to which an answer is kept for the requests that wait. */
const MOST_BYTES = 64 * 2 ** 20

/** @param version number that changes with the data; an answer from older data is made anew */
export function createSharedAnswers(version: () => number, mostBytes = MOST_BYTES): SharedAnswers {
  const sharingByKey = new Map<string, Sharing>()
  return {
    join(key) {
      const sharing = sharingByKey.get(key) ?? { requests: 0, controller: new AbortController(), made: null }
      sharingByKey.set(key, sharing)
      sharing.requests += 1
      return {
        whole(make) {
          if (sharing.requests === 1 && sharing.made === null) return Promise.resolve(null)
          const now = version()
          if (sharing.made?.version === now) return sharing.made.answer
          const answer = make(sharing.controller.signal).then((each) => collect(each, mostBytes))
          const made = { version: now, answer }
          sharing.made = made
          // The next request tries again, because the cause may be gone.
          answer.catch(() => {
            if (sharing.made === made) sharing.made = null
          })
          return answer
        },
        leave() {
          sharing.requests -= 1
          if (sharing.requests > 0) return
          sharingByKey.delete(key)
          sharing.controller.abort()
        },
      }
    },
  }
}

async function collect({ type, pieces, close }: EncodedAnswer, mostBytes: number): Promise<EncodedAnswer | null> {
  const collected: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const piece of pieces) {
      const encoded = typeof piece === 'string' ? Buffer.from(piece) : piece
      bytes += encoded.byteLength
      if (bytes > mostBytes) return null
      collected.push(encoded)
    }
  } finally {
    await close()
  }
  return { type, pieces: collected, close: () => Promise.resolve() }
}
