import type { BoardContent, BoardPart } from '#shared/contract/areas/boards.ts'
import { useConnections } from '../../stores/connections.ts'
import { useHost } from '../../stores/host.ts'
import { tearSheetContent } from './readyBoards.ts'

export type PartKind = BoardContent['kind']
type SourceKind = Exclude<PartKind, 'text'>

const MOST_PORTFOLIOS = 50
/** Kinds of the documents that parts show. */
const documentKinds = { workbench: 'workspace', sql: 'query', study: 'study' } as const

/** Lists the saved documents that parts are made from, and reads them. */
export function usePartSources() {
  const host = useHost()
  const connections = useConnections()

  async function portfolios(): Promise<string[]> {
    const connectionId = connections.active?.id ?? ''
    const usedIds = await host.call('portfolio.usedIds', { connectionId, kind: 'portfolio', limit: MOST_PORTFOLIOS })
    return usedIds.map(({ id }) => id)
  }

  async function list(kind: SourceKind): Promise<{ value: string; title: string }[]> {
    if (kind === 'tearsheet') return (await portfolios()).map((value) => ({ value, title: value }))
    const listed = await host.call('documents.list', { kind: documentKinds[kind] })
    return listed.map(({ id, name }) => ({ value: id, title: name }))
  }

  /** Reads what a part shows; a tear sheet has no document that it could follow. */
  async function read(kind: SourceKind, id: string): Promise<Pick<BoardPart, 'content' | 'source'>> {
    if (kind === 'tearsheet') return { content: tearSheetContent(id) }
    const source = { kind: documentKinds[kind], id }
    return { content: await host.call('boards.content', { source }), source }
  }

  return { portfolios, list, read }
}
