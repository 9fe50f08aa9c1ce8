/** A table with an SQL translation for every operation of a family; a missing one is a type error. */
export type RenderersOf<Node extends { op: string }, Renderer> = {
  [Op in Node['op']]: (node: Extract<Node, { op: Op }>, renderer: Renderer) => string
}

/** Writes a node as SQL, with the entry of the table for the node's operation. */
export function renderNode<Node extends { op: string }, Renderer>(
  table: RenderersOf<Node, Renderer>,
  node: Node,
  renderer: Renderer,
): string {
  const render = table[node.op as Node['op']] as (node: Node, renderer: Renderer) => string
  return render(node, renderer)
}

export const engineDialects = ['duckdb', 'clickhouse', 'spark'] as const

export type EngineDialect = (typeof engineDialects)[number]
