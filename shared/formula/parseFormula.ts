import { FormulaError } from './formulaError.ts'
import { eventFunctions, eventSeriesName, ownNameOf, unquotedNameHint } from './ownData.ts'
import { type Token, tokensOf } from './tokens.ts'
import {
  type BinaryOperator,
  binaryOperators,
  childrenOf,
  type FormulaNode,
  isComparison,
  type TextRange,
  precedence,
} from './tree.ts'

/** Maximum depth of nesting, and maximum number of chained operations. */
export const MAX_DEPTH = 200

/** Parses a formula. Names of functions and series are checked later. */
export function parseFormula(text: string): FormulaNode {
  try {
    return new Parser(tokensOf(text)).formula()
  } catch (thrown) {
    throw (thrown instanceof FormulaError && partlyQuotedName(text, thrown)) || thrown
  }
}

/**
 * A dataset, a point and a column in quotes of any kind, as SQL and other languages write it. It begins with a word and
 * ends soon, so that no long text is read over and over again.
 */
const partlyQuotedPattern =
  /(["`]?)(?<![\p{L}\p{N}_])([\p{L}_][\p{L}\p{N}_]*)\1\s{0,9}\.\s{0,9}(?:"([^"]{1,200})"|'([^']{1,200})'|`([^`]{1,200})`|\[([^\]]{1,200})\])/gu
/** Says how a name is quoted, if that is what a formula cannot be read for. */
function partlyQuotedName(text: string, { message, start, end }: FormulaError): FormulaError | null {
  for (const found of text.matchAll(partlyQuotedPattern)) {
    const [whole, , dataset, ...columns] = found
    const place = { start: found.index, end: found.index + whole.length }
    const isHere = start >= place.start && start < place.end
    const name = `${dataset}.${columns.find((column) => column !== undefined)}`
    if (isHere) return new FormulaError(`Quotes go around the whole name: "${name}".`, place)
  }
  const hint = unquotedNameHint(text.slice(0, start))
  return hint === '' ? null : new FormulaError(`${message}${hint}`, { start, end })
}

class Parser {
  readonly #tokens: Token[]
  readonly #depths = new WeakMap<FormulaNode, number>()
  #at = 0
  #nesting = 0

  constructor(tokens: Token[]) {
    this.#tokens = tokens
  }

  formula(): FormulaNode {
    const node = this.#operation(1)
    if (this.#next.kind !== 'end') throw this.#unexpected('an operator such as + or *')
    return node
  }

  get #next(): Token {
    return this.#tokens[this.#at]
  }

  /** Parses left-associative operators of at least this precedence. */
  #operation(minPrecedence: number): FormulaNode {
    let left = this.#prefixed()
    for (;;) {
      const token = this.#next
      const operator = this.#operatorHere()
      if (!operator || precedence[operator] < minPrecedence) return left
      this.#at++
      const right = this.#operation(precedence[operator] + 1)
      left = this.#withDepth({ kind: 'binary', operator, left, right, start: left.start, end: right.end })
      const following = this.#operatorHere()
      if (isComparison(operator) && following && isComparison(following)) {
        throw new FormulaError('Comparisons cannot be chained: join two with “and”.', {
          start: token.start,
          end: this.#next.end,
        })
      }
    }
  }

  /** Parses an operand with its prefix, if any; a power binds tighter than a minus before it, so -2^2 is −4. */
  #prefixed(): FormulaNode {
    const token = this.#next
    const isMinus = token.kind === 'symbol' && token.text === '-'
    const isNot = token.kind === 'name' && token.text === 'not'
    if (!isMinus && !isNot) return this.#power()
    this.#at++
    const operand = this.#within(token, () => this.#operation(isNot ? precedence.not : precedence.minus))
    return this.#withDepth({
      kind: 'unary',
      operator: isNot ? 'not' : '-',
      operand,
      start: token.start,
      end: operand.end,
    })
  }

  /** Parses a power, which is right-associative: 2^3^2 is 2^9. */
  #power(): FormulaNode {
    const left = this.#primary()
    const token = this.#next
    if (token.kind !== 'symbol' || token.text !== '^') return left
    this.#at++
    const right = this.#within(token, () => this.#exponent())
    return this.#withDepth({ kind: 'binary', operator: '^', left, right, start: left.start, end: right.end })
  }

  #exponent(): FormulaNode {
    const token = this.#next
    if (token.kind !== 'symbol' || token.text !== '-') return this.#power()
    this.#at++
    const operand = this.#within(token, () => this.#exponent())
    return this.#withDepth({ kind: 'unary', operator: '-', operand, start: token.start, end: operand.end })
  }

  #primary(): FormulaNode {
    const { kind, text, start, end } = this.#next
    if (kind === 'number') {
      const value = Number(text)
      if (!Number.isFinite(value)) throw new FormulaError('This number is too large.', { start, end })
      this.#at++
      return { kind: 'number', value, start, end }
    }
    if (kind === 'text') {
      this.#at++
      return { kind: 'text', value: text, start, end }
    }
    if (kind === 'quoted' || (kind === 'name' && !isKeyword(text))) return this.#named()
    if (kind === 'symbol' && text === '(') return this.#parenthesised()
    throw this.#unexpected('a number, a series or a function')
  }

  #parenthesised(): FormulaNode {
    const open = this.#next
    this.#at++
    const inner = this.#within(open, () => this.#operation(1))
    const { end } = this.#close(open)
    const node = { ...inner, start: open.start, end }
    this.#depths.set(node, this.#depths.get(inner) ?? 0)
    return node
  }

  #named(): FormulaNode {
    const { kind, text: name, start, end } = this.#next
    this.#at++
    const open = this.#next
    if (kind === 'quoted' || open.kind !== 'symbol' || open.text !== '(') return { kind: 'series', name, start, end }
    this.#at++
    const args: FormulaNode[] = []
    if (!(this.#next.kind === 'symbol' && this.#next.text === ')')) {
      do args.push(this.#within(open, () => this.#operation(1)))
      while (this.#skipComma())
    }
    const { end: callEnd } = this.#close(open)
    // What is counted of events of an own dataset is read like a column of it, so that it is one in the tree.
    const [only] = args
    if (eventFunctions.includes(name) && args.length === 1 && only.kind === 'series' && ownNameOf(only.name) !== null)
      return { kind: 'series', name: eventSeriesName(name, only.name), start, end: callEnd }
    return this.#withDepth({ kind: 'call', name, args, start, end: callEnd })
  }

  #skipComma(): boolean {
    const isComma = this.#next.kind === 'symbol' && this.#next.text === ','
    if (isComma) this.#at++
    return isComma
  }

  #close(open: Token): Token {
    const token = this.#next
    if (token.kind === 'symbol' && token.text === ')') {
      this.#at++
      return token
    }
    if (token.kind === 'end') throw new FormulaError('This parenthesis is not closed.', open)
    throw this.#unexpected('an operator, a comma or )')
  }

  /** Returns the binary operator at the current token, except ^, which `#power` parses. */
  #operatorHere(): BinaryOperator | null {
    const { kind, text } = this.#next
    if (kind !== 'symbol' && kind !== 'name') return null
    return binaryOperators.find((operator) => operator === text && operator !== '^') ?? null
  }

  #within<T>(place: TextRange, read: () => T): T {
    if (++this.#nesting > MAX_DEPTH) throw tooDeep(place)
    const result = read()
    this.#nesting--
    return result
  }

  #withDepth(node: FormulaNode): FormulaNode {
    const depth = 1 + Math.max(0, ...childrenOf(node).map((child) => this.#depths.get(child) ?? 0))
    if (depth > MAX_DEPTH) throw tooDeep(node)
    this.#depths.set(node, depth)
    return node
  }

  #unexpected(expected: string): FormulaError {
    const { kind, text, start, end } = this.#next
    const found = kind === 'end' ? 'the formula ends' : `there is ${text || 'an empty name'}`
    return new FormulaError(`Expected ${expected}, but ${found}.`, { start, end })
  }
}

const isKeyword = (name: string) => name === 'and' || name === 'or' || name === 'not'

const tooDeep = ({ start, end }: TextRange) =>
  new FormulaError(`More than ${MAX_DEPTH} nested operations.`, { start, end })
