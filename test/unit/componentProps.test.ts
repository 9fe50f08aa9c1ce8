import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import ts from 'typescript'
import { compileScript, parse, registerTS } from 'vue/compiler-sfc'
import { expect, it } from 'vitest'
import { readSources } from './sourceTree.ts'

registerTS(() => ts)

const root = resolve(import.meta.dirname, '../..')
const files = { fileExists: existsSync, readFile: (path: string) => readFileSync(path, 'utf8') }

/** Compiles a component and finds the names of its props. */
function compileComponent(path: string) {
  const { descriptor } = parse(readFileSync(path, 'utf8'), { filename: path })
  const script = descriptor.scriptSetup || descriptor.script ? compileScript(descriptor, { id: path, fs: files }) : null
  const declared = [...(script?.content.matchAll(/^\s*"?(\w+)"?: \{ type: /gm) ?? [])].map(([, name]) => name)
  const models = [...(script?.content.matchAll(/^\s*"(\w+)": \{/gm) ?? [])].map(([, name]) => name)
  return { descriptor, imports: script?.imports ?? {}, props: new Set([...declared, ...models]) }
}

const compiledComponents = new Map<string, ReturnType<typeof compileComponent>>()
function component(path: string) {
  if (!compiledComponents.has(path)) compiledComponents.set(path, compileComponent(path))
  return compiledComponents.get(path)!
}

/** Attributes that a component may pass on to its element without a prop of that name. */
const elementAttribute =
  /^(class|style|ref|key|id|title|role|disabled|tabindex|type|placeholder|inputmode|autocomplete|spellcheck|list|size|maxlength|min|rows|(aria|data)-.*)$/

const camelCase = (name: string) => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

interface TemplateNode {
  type: number
  tag?: string
  children?: unknown
  props?: { type: number; name: string; arg?: { content?: string } }[]
}

/** Returns the attributes of an element in a template that have fixed names. */
const attributesOf = ({ props = [] }: TemplateNode): string[] =>
  props.flatMap(({ type, name, arg }) => {
    if (type === 6) return name
    if (name === 'model') return arg?.content ?? 'modelValue'
    return name === 'bind' && arg?.content ? arg.content : []
  })

function* elementsIn(node: TemplateNode): Generator<TemplateNode> {
  if (node.tag) yield node
  if (Array.isArray(node.children)) for (const child of node.children as TemplateNode[]) yield* elementsIn(child)
}

/** Lists the attributes that a component sets on others, but that are neither props there nor usual on an element. */
function unknownAttributes(path: string): string[] {
  const { descriptor, imports } = component(path)
  if (!descriptor.template?.ast) return []
  return [...elementsIn(descriptor.template.ast as unknown as TemplateNode)].flatMap((element) => {
    const source = imports[element.tag!]?.source
    if (!source?.endsWith('.vue')) return []
    const target = component(resolve(dirname(path), source))
    if (target.descriptor.scriptSetup?.content.includes('inheritAttrs: false')) return []
    const isUnknown = (name: string) => !elementAttribute.test(name) && !target.props.has(camelCase(name))
    return attributesOf(element)
      .filter(isUnknown)
      .map((name) => `<${element.tag} ${name}>`)
  })
}

it('gives no component an attribute that it does not know', () => {
  const components = readSources(['renderer']).filter(({ path }) => path.endsWith('.vue'))
  const unknown = components.flatMap(({ path }) =>
    unknownAttributes(resolve(root, path)).map((attribute) => `${path}: ${attribute}`),
  )
  expect(components.length).toBeGreaterThan(100)
  expect(unknown).toEqual([])
})
