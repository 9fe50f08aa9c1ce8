/** Describes types of TypeScript in JSON Schema. */
import ts from 'typescript'

const { TypeFlags } = ts
const anyValue = TypeFlags.Any | TypeFlags.Unknown | TypeFlags.TypeParameter
const absent = TypeFlags.Undefined | TypeFlags.Void

/** Objects of the platform, which JSON writes in ways that their types do not say. */
const opaque = /^(Map|Set|Date|Promise|RegExp|.*Array|ArrayBuffer.*|Buffer|Function)$/

/**
 * Makes a writer of schemas; object types with a name are described once and referred to.
 * @param {ts.TypeChecker} checker
 * @param place where the described types stand in the document
 * @param nameFor names a type that has no name of its own; undefined for one that is described where it stands
 */
export function schemaWriter(checker, place = '#/$defs/', nameFor = () => undefined) {
  /** @type {Record<string, unknown>} */
  const definitions = {}
  /** Names of the types described so far. */
  const nameOf = new Map()

  const listed = (types) => {
    const schemas = new Map(types.map((type) => describe(type)).map((schema) => [JSON.stringify(schema), schema]))
    return [...schemas.values()]
  }

  function union(types) {
    const present = types.filter(({ flags }) => !(flags & absent))
    const literals = present.filter((type) => type.isStringLiteral() || type.isNumberLiteral())
    const booleans = present.filter(({ flags }) => flags & TypeFlags.BooleanLiteral)
    const rest = present.filter((type) => !literals.includes(type) && !booleans.includes(type))
    const schemas = listed(rest)
    if (literals.length > 0) schemas.unshift({ enum: literals.map(({ value }) => value).sort() })
    if (booleans.length === 2) schemas.unshift({ type: 'boolean' })
    else if (booleans.length === 1) schemas.unshift({ const: checker.typeToString(booleans[0]) === 'true' })
    if (schemas.some((schema) => Object.keys(schema).length === 0)) return {}
    const simple = schemas.every((schema) => Object.keys(schema).length === 1 && typeof schema.type === 'string')
    if (simple && schemas.length > 1) return { type: schemas.map(({ type }) => type).sort() }
    return schemas.length === 1 ? schemas[0] : { anyOf: schemas.sort(byText) }
  }

  function object(type) {
    const properties = checker.getPropertiesOfType(type).flatMap((property) => {
      const declared = checker.getTypeOfSymbol(property)
      const isOptional = Boolean(property.flags & ts.SymbolFlags.Optional) || canBeAbsent(declared)
      if (checker.getSignaturesOfType(declared, ts.SignatureKind.Call).length > 0) return []
      return [{ name: property.name, schema: describe(declared), isOptional }]
    })
    properties.sort((a, b) => (a.name < b.name ? -1 : 1))
    const required = properties.filter(({ isOptional }) => !isOptional).map(({ name }) => name)
    const values = checker.getIndexTypeOfType(type, ts.IndexKind.String)
    // A type without properties says nothing of what is in it.
    if (properties.length === 0 && !values) return {}
    return {
      type: 'object',
      ...(properties.length > 0 && {
        properties: Object.fromEntries(properties.map(({ name, schema }) => [name, schema])),
      }),
      ...(required.length > 0 && { required }),
      ...(values && { additionalProperties: describe(values) }),
    }
  }

  const canBeAbsent = (type) => Boolean(type.flags & absent) || (type.isUnion() && type.types.some(canBeAbsent))

  function named(type) {
    const known = nameOf.get(type)
    if (known !== undefined) return { $ref: place + known }
    const symbol = type.aliasSymbol ?? type.symbol
    const isNamed = symbol && !symbol.name.startsWith('__') && !type.aliasTypeArguments && !type.typeArguments?.length
    const ownName = isNamed ? symbol.name : nameFor(type)
    if (ownName === undefined) return isOpen(type) ? {} : within(type, () => object(type))
    const taken = new Set(nameOf.values())
    let name = ownName
    for (let count = 2; taken.has(name); count++) name = `${ownName}${count}`
    nameOf.set(type, name)
    definitions[name] = object(type)
    return { $ref: place + name }
  }

  /** Types without a name that are being described, which may contain themselves. */
  const open = new Set()
  const isOpen = (type) => open.has(type)
  function within(type, write) {
    open.add(type)
    try {
      return write()
    } finally {
      open.delete(type)
    }
  }

  function describe(type) {
    const { flags } = type
    if (flags & anyValue) return {}
    if (flags & TypeFlags.NonPrimitive) return { anyOf: [{ type: 'object' }, { type: 'array' }] }
    if (flags & TypeFlags.Null) return { type: 'null' }
    if (type.isUnion()) return union(type.types)
    if (type.isStringLiteral() || type.isNumberLiteral()) return { const: type.value }
    if (flags & TypeFlags.BooleanLiteral) return { const: checker.typeToString(type) === 'true' }
    if (flags & TypeFlags.StringLike) return { type: 'string' }
    if (flags & TypeFlags.NumberLike) return { type: 'number' }
    if (flags & TypeFlags.Boolean) return { type: 'boolean' }
    if (checker.isTupleType(type)) return { type: 'array', items: union(checker.getTypeArguments(type)) }
    if (checker.isArrayType(type)) return { type: 'array', items: describe(checker.getTypeArguments(type)[0]) }
    if (type.symbol && opaque.test(type.symbol.name)) return {}
    return flags & (TypeFlags.Object | TypeFlags.Intersection) ? named(type) : {}
  }

  return { describe, union: (types) => union(types), definitions }
}

const byText = (a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)
