/** A table with an SQL translation for every operation of a family; a missing one is a type error. */
export type SpellingOf<Node extends { op: string }, Spell> = {
  [Op in Node['op']]: (node: Extract<Node, { op: Op }>, spell: Spell) => string
}

/** Writes a node as SQL with the entry of its operation. */
export function spellNode<Node extends { op: string }, Spell>(
  table: SpellingOf<Node, Spell>,
  node: Node,
  spell: Spell,
): string {
  const entry = table[node.op as Node['op']] as (given: Node, by: Spell) => string
  return entry(node, spell)
}

export const engineDialects = ['duckdb', 'clickhouse', 'spark'] as const

export type EngineDialect = (typeof engineDialects)[number]
