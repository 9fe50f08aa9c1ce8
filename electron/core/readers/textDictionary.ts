const decoder = new TextDecoder()

/** Gives texts numbers. Equal texts have equal ones. */
export interface TextCodes {
  codeOf(text: string): number
  /** The same of the bytes [from, to) of a text in UTF-8. */
  codeOfBytes(bytes: Uint8Array, from: number, to: number): number
}

/** Texts and their codes; a code is the text's place in the order of first sight. */
export class TextDictionary implements TextCodes {
  readonly texts: string[]
  private readonly codes: Map<string, number>

  constructor(texts: Iterable<string> = []) {
    this.texts = [...texts]
    this.codes = new Map(this.texts.map((text, code) => [text, code]))
  }

  codeOf(text: string): number {
    const known = this.codes.get(text)
    if (known !== undefined) return known
    this.codes.set(text, this.texts.length)
    return this.texts.push(text) - 1
  }

  codeOfBytes(bytes: Uint8Array, from: number, to: number): number {
    return this.codeOf(decoder.decode(bytes.subarray(from, to)))
  }
}

const encoder = new TextEncoder()

/** Tells long lists of texts apart without keeping them: by a hash, which two different texts share once in billions. */
export const textHashes: TextCodes = {
  codeOf(text) {
    const bytes = encoder.encode(text)
    return textHashes.codeOfBytes(bytes, 0, bytes.length)
  },
  codeOfBytes(bytes, from, to) {
    let hash = 0x811c9dc5
    for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at], 0x01000193)
    return hash | 0
  },
}
