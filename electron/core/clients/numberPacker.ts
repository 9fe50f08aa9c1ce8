import { joinNumbers } from '#shared/statistics/joinNumbers.ts'
import { parseJson } from './parseResponse.ts'

const [QUOTE, BACKSLASH, COMMA, OPEN, CLOSE] = ['"', '\\', ',', '[', ']'].map((each) => each.charCodeAt(0))

/** The bytes that a list of only numbers and nulls may have, with `NaN` and `Infinity`, which some services send. */
const isOfList = new Uint8Array(256)
for (const byte of Buffer.from(' \t\n\r,+-.0123456789eEnulNaInfity')) isOfList[byte] = 1

/** A JSON document whose lists of numbers were taken out. */
interface PackedJson {
  /** The document with the list `[n]` where list number n was. */
  skeleton: Uint8Array
  lists: Float64Array[]
}

/** Packs the lists of numbers of a JSON document while its bytes arrive, so that its text is never in memory whole. */
interface NumberPacker {
  /** Reads the next bytes; throws where a list of numbers is no JSON. */
  add(bytes: Uint8Array): void
  end(): PackedJson
}

export function createNumberPacker(address: string): NumberPacker {
  const skeleton = createByteBuffer()
  const lists: Float64Array[] = []
  const memory = createNumberMemory()
  let state: 'plain' | 'text' | 'escape' | 'list' = 'plain'
  let list = createNumberList(address, memory)

  /** Ends what may be a list of numbers before the byte that decides. */
  function endList(isClosed: boolean): void {
    const values = isClosed ? list.end() : null
    skeleton.add(values === null ? list.text() : Buffer.from(`[${lists.length}`))
    if (values !== null) lists.push(values)
    list = createNumberList(address, memory)
    state = 'plain'
  }

  return {
    add(bytes) {
      let from = 0
      for (let at = 0; at < bytes.length; at++) {
        const byte = bytes[at]
        if (state === 'list') {
          if (isOfList[byte] === 1) continue
          list.add(bytes.subarray(from, at))
          from = at
          endList(byte === CLOSE)
        }
        if (state === 'plain') {
          if (byte === QUOTE) state = 'text'
          else if (byte === OPEN) {
            skeleton.add(bytes.subarray(from, at))
            from = at
            state = 'list'
          }
        } else if (state === 'escape') state = 'text'
        else if (byte === BACKSLASH) state = 'escape'
        else if (byte === QUOTE) state = 'plain'
      }
      if (state === 'list') list.add(bytes.subarray(from))
      else skeleton.add(bytes.subarray(from))
    },
    end() {
      if (state === 'list') endList(false)
      return { skeleton: skeleton.all(), lists }
    },
  }
}

/** Puts the lists back into a document that was parsed without them. */
export function withLists(value: unknown, lists: readonly Float64Array[]): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const [place] = value as unknown[]
    // A list of a number alone stands for a packed one, because every list of only numbers was packed.
    return value.length === 1 && typeof place === 'number' ? lists[place] : value.map((each) => withLists(each, lists))
  }
  const fields = value as Record<string, unknown>
  for (const name of Object.keys(fields)) fields[name] = withLists(fields[name], lists)
  return fields
}

/** Reads one list while its text arrives; the text begins with its bracket and stays until the list turns out to be one. */
function createNumberList(address: string, memory: NumberMemory) {
  const text = createByteBuffer()
  const parts: Float64Array[] = []
  /** Where the text begins that has not been parsed. */
  let parsed = 1
  /** @param to end of the text to parse, before a comma or the end of the list */
  function parse(to: number): void {
    const numbers = parseJson(`[${text.textOf(parsed, to)}]`, address) as (number | null)[]
    // An empty part between commas would be skipped.
    if (numbers.length === 0) parseJson('[,]', address)
    const part = memory.take(numbers.length)
    for (let at = 0; at < part.length; at++) part[at] = Number.isFinite(numbers[at]) ? (numbers[at] as number) : NaN
    parts.push(part)
    parsed = to + 1
  }
  return {
    add(bytes: Uint8Array): void {
      text.add(bytes)
      if (text.size() - parsed < PARSED_AT_ONCE) return
      const comma = text.lastIndexOf(COMMA)
      if (comma >= parsed) parse(comma)
    },
    text: () => text.all(),
    /** Returns the numbers of the list, which is complete; null if it is empty. */
    end(): Float64Array | null {
      if (parts.length === 0 && text.textOf(parsed, text.size()).trim() === '') return null
      parse(text.size())
      return parts.length === 1 ? parts[0] : joinNumbers(parts)
    },
  }
}

interface NumberMemory {
  /** Returns the next numbers of a block. */
  take(count: number): Float64Array
}

const FIRST_BLOCK_NUMBERS = 2 ** 13
const MOST_BLOCK_NUMBERS = 2 ** 20

/**
 * Keeps the numbers of all lists in few large blocks, because the system gets the memory of thousands of small ones back
 * only when the program ends.
 */
function createNumberMemory(): NumberMemory {
  let block = new Float64Array(0)
  let used = 0
  let blockNumbers = FIRST_BLOCK_NUMBERS
  return {
    take(count) {
      if (used + count > block.length) {
        block = new Float64Array(Math.max(count, blockNumbers))
        used = 0
        blockNumbers = Math.min(2 * blockNumbers, MOST_BLOCK_NUMBERS)
      }
      used += count
      return block.subarray(used - count, used)
    },
  }
}

/** Number of bytes of a long list that are parsed at a time. */
const PARSED_AT_ONCE = 2 ** 16

/** Collects bytes in one buffer, because pieces of the arriving chunks would keep those in memory. */
function createByteBuffer() {
  let buffer = Buffer.alloc(0)
  let size = 0
  return {
    add(bytes: Uint8Array): void {
      if (size + bytes.length > buffer.length) {
        const larger = Buffer.allocUnsafe(Math.max(2 * buffer.length, size + bytes.length, 64))
        larger.set(buffer.subarray(0, size))
        buffer = larger
      }
      buffer.set(bytes, size)
      size += bytes.length
    },
    size: () => size,
    all: () => buffer.subarray(0, size),
    textOf: (from: number, to: number) => buffer.toString('latin1', from, to),
    lastIndexOf: (byte: number) => buffer.subarray(0, size).lastIndexOf(byte),
  }
}
