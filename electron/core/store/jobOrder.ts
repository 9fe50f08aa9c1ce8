import type { Database } from './database.ts'

/** Gives the jobs positions between the one they go before and its neighbour, and that one's priority. */
export function reorder({ writes }: Database, ids: readonly number[], beforeId: number | null): void {
  const place = (id: number) =>
    writes.first<{ priority: number; position: number }>(
      'SELECT priority, position FROM jobs WHERE id = ? AND ended_at_ms IS NULL',
      id,
    )
  const moved = JSON.stringify(ids)
  const others = 'ended_at_ms IS NULL AND id NOT IN (SELECT value FROM json_each(?))'
  const target = beforeId === null ? undefined : place(beforeId)
  const priority =
    target?.priority ??
    writes.first<{ p: number | null }>(`SELECT min(priority) AS p FROM jobs WHERE ${others}`, moved)?.p ??
    0
  const edge = (which: string, condition: string, ...values: number[]) =>
    writes.first<{ at: number | null }>(
      `SELECT ${which}(position) AS at FROM jobs WHERE ${others} AND priority = ?${condition}`,
      moved,
      priority,
      ...values,
    )?.at
  const above = target ? edge('max', ' AND position < ?', target.position) : edge('max', '')
  const low = above ?? (target?.position ?? 1) - 1
  const high = target?.position ?? low + 1
  ids.forEach((id, index) => {
    const position = low + ((high - low) * (index + 1)) / (ids.length + 1)
    writes.run(
      'UPDATE jobs SET priority = ?, position = ? WHERE id = ? AND ended_at_ms IS NULL',
      priority,
      position,
      id,
    )
  })
}
