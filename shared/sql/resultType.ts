/** Type of a column of a result, as a tree, so that the values inside lists and structs keep their types. */
export type ResultType =
  | { name: string }
  | { name: 'DECIMAL'; width: number; scale: number }
  /** A list, or an array if it has a length. */
  | { name: 'LIST'; items: ResultType; length: number | null }
  /** A struct, or a tuple if its fields have no names. */
  | { name: 'STRUCT'; fields: ResultField[]; isTuple: boolean }
  | { name: 'MAP'; key: ResultType; value: ResultType }
  | { name: 'UNION'; fields: ResultField[] }

interface ResultField {
  name: string
  type: ResultType
}

/** Parses a type in the engine's notation, such as `STRUCT("a" DECIMAL(18,3)[], "b" VARCHAR)`. */
export function parseResultType(text: string): ResultType {
  const parser = new TypeParser(text)
  return parser.type()
}

const NAME_PATTERN = /[A-Z][A-Z0-9_]*(?: WITH TIME ZONE)?/y
const LENGTH_PATTERN = /\[(\d*)\]/y
const DECIMAL_PATTERN = /\((\d+),(\d+)\)/y
const QUOTED_PATTERN = /"((?:[^"]|"")*)"/y
const VALUES_PATTERN = /\((?:[^')]|'(?:[^']|'')*')*\)/y

/** Reads a type from left to right. */
class TypeParser {
  private readonly text: string
  private at = 0

  constructor(text: string) {
    this.text = text
  }

  type(): ResultType {
    let type = this.innerType()
    for (let match = this.match(LENGTH_PATTERN); match; match = this.match(LENGTH_PATTERN))
      type = { name: 'LIST', items: type, length: match[1] === '' ? null : Number(match[1]) }
    return type
  }

  private innerType(): ResultType {
    const name = this.match(NAME_PATTERN)?.[0] ?? 'VARCHAR'
    if (name === 'DECIMAL') {
      const [, width, scale] = this.match(DECIMAL_PATTERN) ?? ['', '18', '3']
      return { name, width: Number(width), scale: Number(scale) }
    }
    if (name === 'MAP') {
      this.skip('(')
      const key = this.type()
      this.skip(', ')
      const value = this.type()
      this.skip(')')
      return { name, key, value }
    }
    if (name === 'STRUCT' || name === 'UNION') {
      const fields = this.fields()
      return name === 'UNION' ? { name, fields } : { name, fields, isTuple: fields.every((field) => field.name === '') }
    }
    // The values of an ENUM do not matter: they are texts.
    this.match(VALUES_PATTERN)
    return { name }
  }

  private fields(): ResultField[] {
    const fields: ResultField[] = []
    this.skip('(')
    while (this.at < this.text.length && this.text[this.at] !== ')') {
      const name = this.match(QUOTED_PATTERN)?.[1].replaceAll('""', '"') ?? ''
      this.skip(' ')
      fields.push({ name, type: this.type() })
      this.skip(', ')
    }
    this.skip(')')
    return fields
  }

  private match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at
    const match = pattern.exec(this.text)
    if (match) this.at += match[0].length
    return match
  }

  private skip(sign: string): void {
    if (this.text.startsWith(sign, this.at)) this.at += sign.length
  }
}

const integerTypePattern = /^U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)$/

export const isIntegerType = (type: string): boolean => integerTypePattern.test(type)

/** Tells whether a type has numbers, even if the column has them as text because a double could not hold them. */
export const isNumberType = (type: string): boolean =>
  isIntegerType(type) || /^(?:FLOAT|DOUBLE|BIGNUM|DECIMAL\(\d+,\d+\))$/.test(type)

/** Tells whether a type has parts, which tables and text files show as JSON. */
export const isNestedType = (type: string): boolean => /\[\d*\]$|^(?:STRUCT|MAP|UNION)\(|^VARIANT$/.test(type)
