/** Compiles a function of the AssemblyScript subset to the bytes of its body. */
import ts from 'typescript'
import { double, fail, encodeSigned, encodeUnsigned } from './moduleBytes.mjs'

export const TYPES = { i32: 0x7f, u32: 0x7f, i64: 0x7e, u64: 0x7e, f64: 0x7c, v128: 0x7b }

export const isInline = (node) =>
  node.modifiers?.some((modifier) => ts.isDecorator(modifier) && modifier.expression.getText() === 'inline') ?? false

const opcodes = {
  ...{
    block: 0x02,
    loop: 0x03,
    if: 0x04,
    else: 0x05,
    end: 0x0b,
    branch: 0x0c,
    branchIf: 0x0d,
    return: 0x0f,
    call: 0x10,
  },
  ...{ drop: 0x1a, get: 0x20, set: 0x21, i32: 0x41, i64: 0x42, f64: 0x44, isZero32: 0x45, isZero64: 0x50 },
}
const EMPTY = 0x40

/**
 * Number types in the order of the opcodes in the tables below: signed 32, unsigned 32, signed 64, unsigned 64, double.
 */
const typeOrder = ['i32', 'u32', 'i64', 'u64', 'f64']
const operators = {
  '+': [0x6a, 0x6a, 0x7c, 0x7c, 0xa0],
  '-': [0x6b, 0x6b, 0x7d, 0x7d, 0xa1],
  '*': [0x6c, 0x6c, 0x7e, 0x7e, 0xa2],
  '/': [0x6d, 0x6e, 0x7f, 0x80, 0xa3],
  '&': [0x71, 0x71, 0x83, 0x83],
  '|': [0x72, 0x72, 0x84, 0x84],
  '^': [0x73, 0x73, 0x85, 0x85],
  '<<': [0x74, 0x74, 0x86, 0x86],
  '>>': [0x75, 0x76, 0x87, 0x88],
}
const comparisons = {
  '==': [0x46, 0x46, 0x51, 0x51, 0x61],
  '!=': [0x47, 0x47, 0x52, 0x52, 0x62],
  '<': [0x48, 0x49, 0x53, 0x54, 0x63],
  '>': [0x4a, 0x4b, 0x55, 0x56, 0x64],
  '<=': [0x4c, 0x4d, 0x57, 0x58, 0x65],
  '>=': [0x4e, 0x4f, 0x59, 0x5a, 0x66],
}
const loads = {
  u8: [0x2d, 'u32'],
  u16: [0x2f, 'u32'],
  i32: [0x28, 'i32'],
  u32: [0x28, 'u32'],
  u64: [0x29, 'u64'],
  f64: [0x2b, 'f64'],
  v128: [[0xfd, 0], 'v128'],
}
const stores = {
  u8: [0x3a, 'u32'],
  u16: [0x3b, 'u32'],
  i32: [0x36, 'i32'],
  u32: [0x36, 'u32'],
  u64: [0x37, 'u64'],
  f64: [0x39, 'f64'],
  v128: [[0xfd, 11], 'v128'],
}

/**
 * Vector operations: for each its opcode after the prefix byte, the types of its arguments and the type of its result.
 */
const vectors = {
  'i64x2.splat': [18, ['u64'], 'v128'],
  'i8x16.swizzle': [14, ['v128', 'v128'], 'v128'],
  'i8x16.eq': [35, ['v128', 'v128'], 'v128'],
  'i8x16.add': [110, ['v128', 'v128'], 'v128'],
  'i8x16.bitmask': [100, ['v128'], 'i32'],
  'i16x8.mul': [149, ['v128', 'v128'], 'v128'],
  'i16x8.sub': [145, ['v128', 'v128'], 'v128'],
  'i16x8.shl': [139, ['v128', 'i32'], 'v128'],
  'i16x8.shr_u': [141, ['v128', 'i32'], 'v128'],
  'i32x4.dot_i16x8_s': [186, ['v128', 'v128'], 'v128'],
  'i32x4.shl': [171, ['v128', 'i32'], 'v128'],
  'i32x4.shr_u': [173, ['v128', 'i32'], 'v128'],
  'i64x2.extend_low_i32x4_u': [201, ['v128'], 'v128'],
  'i64x2.extmul_low_i32x4_u': [222, ['v128', 'v128'], 'v128'],
  'i64x2.shl': [203, ['v128', 'i32'], 'v128'],
  'i64x2.shr_u': [205, ['v128', 'i32'], 'v128'],
  'i64x2.sub': [209, ['v128', 'v128'], 'v128'],
  'v128.or': [80, ['v128', 'v128'], 'v128'],
}

/**
 * Opcodes of the conversions, by the type to convert from and the target: the width of an integer, or `f64`. Integers
 * of the same width need no conversion.
 */
const conversions = {
  'i32 64': [0xac],
  'u32 64': [0xad],
  'i64 32': [0xa7],
  'u64 32': [0xa7],
  'i32 f64': [0xb7],
  'u32 f64': [0xb8],
  'i64 f64': [0xb9],
  'u64 f64': [0xba],
  'f64 32': [0xaa],
  'f64 64': [0xb0],
}
const widthOf = (type) => type.slice(1)

const isLiteral = (expression) =>
  ts.isNumericLiteral(expression) || (ts.isPrefixUnaryExpression(expression) && isLiteral(expression.operand))
const offset = (literalOffset) => encodeUnsigned(literalOffset ? Number(literalOffset.getText()) : 0)

function opcode(table, operator, type, at) {
  const found = table[operator][typeOrder.indexOf(type)]
  return found ?? fail(at, `no ${operator} for ${type}`)
}

/** Compiles the body of one function, including the functions inlined into it. */
class FunctionCompiler {
  localTypes = []
  localByName = new Map()
  /** Number of blocks around the current position. */
  depth = 0
  /**
   * Depth and result type of the block around the inlined function that is being compiled; a return in the function
   * leaves this block. Null outside of inlined functions.
   */
  inlineBlock = null

  constructor({ parameters, result }, { constants, functions }) {
    Object.assign(this, { parameters, result, constants, functions })
    for (const [index, { name, type }] of parameters.entries()) this.localByName.set(name, { index, type })
  }

  addLocal(name, type) {
    const local = { index: this.parameters.length + this.localTypes.length, type }
    this.localTypes.push(type)
    this.localByName.set(name, local)
    return local
  }

  /** Compiles an expression and checks that it has the expected type. */
  compileTyped(expression, type) {
    const [bytes, found] = this.compile(expression, type)
    if (found !== type) fail(expression, `${type} is expected here, not ${found}`)
    return bytes
  }

  /**
   * Compiles an expression; a literal takes the wanted type.
   * @returns its bytes and its type
   */
  compile(expression, wanted) {
    if (ts.isParenthesizedExpression(expression)) return this.compile(expression.expression, wanted)
    if (ts.isNumericLiteral(expression)) return [this.literal(expression, wanted), wanted]
    if (ts.isIdentifier(expression)) return this.identifier(expression)
    if (ts.isPrefixUnaryExpression(expression)) return this.unary(expression, wanted)
    if (ts.isBinaryExpression(expression)) return this.binary(expression, wanted)
    if (ts.isConditionalExpression(expression)) return this.conditional(expression, wanted)
    if (ts.isCallExpression(expression)) return this.call(expression)
    return fail(expression, 'unsupported expression')
  }

  literal(expression, type) {
    if (type === undefined) fail(expression, 'a literal needs a type')
    const literalText = expression.getText().replaceAll('_', '')
    if (type === 'f64') return [opcodes.f64, ...double(Number(literalText))]
    const is64 = widthOf(type) === '64'
    return [is64 ? opcodes.i64 : opcodes.i32, ...encodeSigned(BigInt.asIntN(is64 ? 64 : 32, BigInt(literalText)))]
  }

  identifier(expression) {
    const local = this.localByName.get(expression.text)
    if (local) return [[opcodes.get, ...encodeUnsigned(local.index)], local.type]
    const constant = this.constants.get(expression.text) ?? fail(expression, 'unknown name')
    return [this.compileTyped(constant.initializer, constant.type), constant.type]
  }

  unary(expression, wanted) {
    const { operator, operand } = expression
    if (operator === ts.SyntaxKind.ExclamationToken) return [[...this.condition(operand), opcodes.isZero32], 'i32']
    if (operator !== ts.SyntaxKind.MinusToken) fail(expression, 'unsupported operator')
    const [bytes, type] = this.compile(operand, wanted)
    if (type === 'f64') return [[...bytes, 0x9a], type]
    const is64 = widthOf(type) === '64'
    return [[is64 ? opcodes.i64 : opcodes.i32, 0, ...bytes, opcode(operators, '-', type, expression)], type]
  }

  binary(expression, wanted) {
    const { left, right } = expression
    const operator = expression.operatorToken.getText()
    if (operator === '&&')
      return [
        [
          ...this.condition(left),
          opcodes.if,
          TYPES.i32,
          ...this.condition(right),
          opcodes.else,
          opcodes.i32,
          0,
          opcodes.end,
        ],
        'i32',
      ]
    if (operator === '||')
      return [
        [
          ...this.condition(left),
          opcodes.if,
          TYPES.i32,
          opcodes.i32,
          1,
          opcodes.else,
          ...this.condition(right),
          opcodes.end,
        ],
        'i32',
      ]
    const table = operator in comparisons ? comparisons : operators
    if (!(operator in table)) fail(expression, 'unsupported operator')
    const operandType = table === operators ? wanted : undefined
    // The side that is not a literal determines the type of both.
    const type = isLiteral(left) ? this.compile(right, operandType)[1] : this.compile(left, operandType)[1]
    return [
      [...this.compileTyped(left, type), ...this.compileTyped(right, type), opcode(table, operator, type, expression)],
      table === comparisons ? 'i32' : type,
    ]
  }

  conditional({ condition: test, whenTrue, whenFalse }, wanted) {
    const type = isLiteral(whenTrue) ? this.compile(whenFalse, wanted)[1] : this.compile(whenTrue, wanted)[1]
    // Both values are computed and one is selected, so there is no branch that the processor could mispredict.
    return [
      [...this.compileTyped(whenTrue, type), ...this.compileTyped(whenFalse, type), ...this.condition(test), 0x1b],
      type,
    ]
  }

  condition(expression) {
    const [bytes, type] = this.compile(expression, 'i32')
    return widthOf(type) === '32' ? bytes : fail(expression, 'a condition must have 32 bits')
  }

  call(expression) {
    const name = expression.expression.getText()
    const [argument, second, third] = expression.arguments
    const memoryType = expression.typeArguments?.[0].getText()
    if (name in TYPES) return this.convert(argument, name)
    if (name in vectors) {
      const [operation, argumentTypes, type] = vectors[name]
      return [
        [
          ...argumentTypes.flatMap((each, at) => this.compileTyped(expression.arguments[at], each)),
          0xfd,
          ...encodeUnsigned(operation),
        ],
        type,
      ]
    }
    if (name === 'load') {
      const [operation, type] = loads[memoryType]
      return [[...this.compileTyped(argument, 'i32'), ...[operation].flat(), 0, ...offset(second)], type]
    }
    if (name === 'store') {
      const [operation, type] = stores[memoryType]
      return [
        [
          ...this.compileTyped(argument, 'i32'),
          ...this.compileTyped(second, type),
          ...[operation].flat(),
          0,
          ...offset(third),
        ],
        'void',
      ]
    }
    if (name === 'copy')
      return [[...[argument, second, third].flatMap((each) => this.compileTyped(each, 'i32')), 0xfc, 10, 0, 0], 'void']
    if (name === 'clz') return [[...this.compileTyped(argument, 'u64'), 0x79], 'u64']
    if (name === 'floor') return [[...this.compileTyped(argument, 'f64'), 0x9c], 'f64']
    if (name === 'bits') return [[...this.compileTyped(argument, 'f64'), 0xbd], 'u64']
    return this.callFunction(expression, this.functions.get(name) ?? fail(expression, 'unknown function'))
  }

  convert(argument, type) {
    const [bytes, from] = this.compile(argument, type)
    const isSame = TYPES[from] === TYPES[type]
    return [isSame ? bytes : [...bytes, ...conversions[`${from} ${type === 'f64' ? 'f64' : widthOf(type)}`]], type]
  }

  callFunction(expression, target) {
    const argumentBytes = expression.arguments.map((argument, at) =>
      this.compileTyped(argument, target.parameters[at].type),
    )
    if (!isInline(target.node))
      return [[...argumentBytes.flat(), opcodes.call, ...encodeUnsigned(target.index)], target.result]
    const { localByName, inlineBlock } = this
    this.localByName = new Map()
    const parameterStores = target.parameters.map(({ name, type }, at) => [
      ...argumentBytes[at],
      opcodes.set,
      ...encodeUnsigned(this.addLocal(name, type).index),
    ])
    this.inlineBlock = { depth: this.depth, result: target.result }
    const bytes = this.inBlock(target.result === 'void' ? EMPTY : TYPES[target.result], () => [
      ...this.block(target.node.body),
      ...(target.result === 'void' ? [] : [0x00]),
    ])
    Object.assign(this, { localByName, inlineBlock })
    return [[...parameterStores.flat(), ...bytes], target.result]
  }

  inBlock(type, inside, start = opcodes.block) {
    this.depth++
    const bytes = [start, type, ...inside(), opcodes.end]
    this.depth--
    return bytes
  }

  block({ statements }) {
    return statements.flatMap((statement) => this.statementBytes(statement))
  }

  statementBytes(statement) {
    if (ts.isBlock(statement)) return this.block(statement)
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.flatMap((each) => this.declaration(each))
    if (ts.isExpressionStatement(statement)) return this.effect(statement.expression)
    if (ts.isIfStatement(statement)) return this.branch(statement)
    if (ts.isWhileStatement(statement))
      return this.loop(statement.expression, () => this.statementBytes(statement.statement))
    if (ts.isForStatement(statement)) {
      const start = statement.initializer.declarations.flatMap((each) => this.declaration(each))
      const round = () => [...this.statementBytes(statement.statement), ...this.effect(statement.incrementor)]
      return [...start, ...this.loop(statement.condition, round)]
    }
    if (ts.isReturnStatement(statement)) return this.returnStatement(statement)
    return fail(statement, 'unsupported statement')
  }

  declaration({ name, type, initializer }) {
    const typeName = type.getText()
    const bytes = this.compileTyped(initializer, typeName)
    return [...bytes, opcodes.set, ...encodeUnsigned(this.addLocal(name.text, typeName).index)]
  }

  effect(expression) {
    if (ts.isPostfixUnaryExpression(expression)) return this.assignment(expression.operand, '+', 1)
    if (ts.isBinaryExpression(expression)) {
      const operator = expression.operatorToken.getText()
      if (operator === '=') {
        const { index, type } = this.localByName.get(expression.left.getText()) ?? fail(expression, 'unknown name')
        return [...this.compileTyped(expression.right, type), opcodes.set, ...encodeUnsigned(index)]
      }
      if (operator.endsWith('=')) return this.assignment(expression.left, operator.slice(0, -1), expression.right)
    }
    const [bytes, type] = this.compile(expression)
    return type === 'void' ? bytes : [...bytes, opcodes.drop]
  }

  assignment(target, operator, right) {
    const { index, type } = this.localByName.get(target.getText()) ?? fail(target, 'unknown name')
    const value = right === 1 ? [widthOf(type) === '64' ? opcodes.i64 : opcodes.i32, 1] : this.compileTyped(right, type)
    return [
      opcodes.get,
      ...encodeUnsigned(index),
      ...value,
      opcode(operators, operator, type, target),
      opcodes.set,
      ...encodeUnsigned(index),
    ]
  }

  branch({ expression, thenStatement, elseStatement }) {
    const start = this.condition(expression)
    return [
      ...start,
      ...this.inBlock(
        EMPTY,
        () => [
          ...this.statementBytes(thenStatement),
          ...(elseStatement ? [opcodes.else, ...this.statementBytes(elseStatement)] : []),
        ],
        opcodes.if,
      ),
    ]
  }

  /**
   * Compiles a loop that tests its condition once before it starts and then at the end of each iteration, so that an
   * iteration has only one jump.
   */
  loop(test, round) {
    const start = this.condition(test)
    const inside = () =>
      this.inBlock(EMPTY, () => [...round(), ...this.condition(test), opcodes.branchIf, 0], opcodes.loop)
    return [...start, ...this.inBlock(EMPTY, inside, opcodes.if)]
  }

  returnStatement({ expression }) {
    const type = this.inlineBlock ? this.inlineBlock.result : this.result
    const bytes = expression ? this.compileTyped(expression, type) : []
    return this.inlineBlock
      ? [...bytes, opcodes.branch, ...encodeUnsigned(this.depth - this.inlineBlock.depth - 1)]
      : [...bytes, opcodes.return]
  }
}

/**
 * Returns the locals and the code of a function.
 * @param {{ node: ts.FunctionDeclaration, parameters: { name: string, type: string }[], result: string }} declared
 */
export function functionBody(declared, declarations) {
  const compiler = new FunctionCompiler(declared, declarations)
  const body = compiler.block(declared.node.body)
  return [
    ...encodeUnsigned(compiler.localTypes.length),
    ...compiler.localTypes.flatMap((type) => [1, TYPES[type]]),
    ...body,
    // A function with a result always leaves by `return`, so the instruction at its end (`unreachable`) never runs.
    ...(declared.result === 'void' ? [] : [0x00]),
    opcodes.end,
  ]
}
