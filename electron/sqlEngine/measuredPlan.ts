import type { DuckDBConnection } from '@duckdb/node-api'
import type { PlanOperator } from '#shared/contract/areas/sql.ts'

/** An operator in DuckDB's JSON profile. */
interface ProfileNode {
  operator_name?: string
  operator_type?: string
  operator_timing?: number
  operator_cardinality?: number
  latency?: number
  extra_info?: Record<string, unknown>
  children?: ProfileNode[]
}

/** Maximum length of an operator's description; a long condition would otherwise fill the screen. */
const MOST_DETAIL_LENGTH = 400

/** Runs a query with profiling and parses its profile. */
export async function measurePlan(
  connection: DuckDBConnection,
  sql: string,
  parameters: Record<string, string>,
): Promise<{ operators: PlanOperator[]; totalMs: number }> {
  const result = await connection.run(sql, parameters)
  const top = JSON.parse(String((await result.getRows()).at(0)?.at(1) ?? '{}')) as ProfileNode
  const operators: PlanOperator[] = []
  const add = (node: ProfileNode, depth: number): void => {
    const name = node.operator_name?.trim()
    const isWrapper = name === undefined || name === 'EXPLAIN_ANALYZE'
    if (!isWrapper)
      operators.push({
        depth,
        name,
        timeMs: (node.operator_timing ?? 0) * 1000,
        rows: node.operator_cardinality ?? 0,
        detail: detailOf(node),
      })
    for (const child of node.children ?? []) add(child, isWrapper ? depth : depth + 1)
  }
  add(top, 0)
  return { operators, totalMs: (top.latency ?? 0) * 1000 }
}

function detailOf({ extra_info: info = {} }: ProfileNode): string {
  const text = Object.entries(info)
    .filter(([key]) => key !== 'Estimated Cardinality' && key !== 'Filename(s)')
    .map(([key, value]) => `${key}: ${Array.isArray(value) ? value.join(', ') : String(value)}`)
    .join(' · ')
  return text.length > MOST_DETAIL_LENGTH ? `${text.slice(0, MOST_DETAIL_LENGTH)} …` : text
}
