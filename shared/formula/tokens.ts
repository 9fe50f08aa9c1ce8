import { FormulaError } from './formulaError.ts'

type TokenKind = 'number' | 'name' | 'quoted' | 'text' | 'symbol' | 'end'

export interface Token {
  kind: TokenKind
  /** Text of the token, without quotes. */
  text: string
  start: number
  end: number
}

export const MAX_FORMULA_LENGTH = 10_000

const spacePattern = /\s+/y
const numberPattern = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y
const namePattern = /[\p{L}_][\p{L}\p{N}_.]*/uy
const quotedPattern = /"((?:[^"\\]|\\["\\])*)"/y
const textPattern = /'([^']*)'/y
const symbolPattern = /<=|>=|==|!=|[-+*/%^<>(),]/y

/** Hints for characters with which no token can begin, many of them operators of other languages. */
const hints: Record<string, string> = {
  '=': 'Write == to compare.',
  '&': 'Write “and”.',
  '|': 'Write “or”.',
  '!': 'Write “not”, or != to compare.',
  '×': 'Write * to multiply.',
  '÷': 'Write / to divide.',
  '−': 'Write the minus sign of the keyboard: -.',
  ';': 'Separate arguments with commas.',
  '"': 'The quote is not closed.',
  "'": 'The quote is not closed.',
}

/** Splits a formula into tokens; the last token marks the end. */
export function tokensOf(formula: string): Token[] {
  if (formula.length > MAX_FORMULA_LENGTH) {
    const place = { start: MAX_FORMULA_LENGTH, end: formula.length }
    throw new FormulaError(`A formula may have at most ${MAX_FORMULA_LENGTH} characters.`, place)
  }
  const tokens: Token[] = []
  const match = (pattern: RegExp, at: number) => {
    pattern.lastIndex = at
    return pattern.exec(formula)
  }
  let at = 0
  while (at < formula.length) {
    const blank = match(spacePattern, at)
    if (blank) {
      at += blank[0].length
      continue
    }
    const token = tokenAt(match, at)
    if (!token) throw unreadableError(formula, at)
    tokens.push(token)
    at = token.end
  }
  tokens.push({ kind: 'end', text: '', start: at, end: at })
  return tokens
}

function tokenAt(match: (pattern: RegExp, at: number) => RegExpExecArray | null, at: number): Token | null {
  const kinds: [TokenKind, RegExp][] = [
    ['number', numberPattern],
    ['name', namePattern],
    ['quoted', quotedPattern],
    ['text', textPattern],
    ['symbol', symbolPattern],
  ]
  for (const [kind, pattern] of kinds) {
    const found = match(pattern, at)
    if (!found) continue
    const inner = kind === 'quoted' ? found[1].replace(/\\(["\\])/g, '$1') : (found[1] ?? found[0])
    return { kind, text: inner, start: at, end: at + found[0].length }
  }
  return null
}

function unreadableError(formula: string, at: number): FormulaError {
  const character = String.fromCodePoint(formula.codePointAt(at) ?? 0)
  const hint = hints[character] ?? ''
  const message = `${character} has no meaning here.${hint && ` ${hint}`}`
  return new FormulaError(message, { start: at, end: at + character.length })
}
