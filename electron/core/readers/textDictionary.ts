/** Texts and their codes; a code is the text's place in the order of first sight. */
export class TextDictionary {
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
}
