import type { BoardContent } from '#shared/contract/areas/boards.ts'
import { AppError } from '#shared/contract/errors.ts'
import { useConnections } from '../../stores/connections.ts'
import { useHost } from '../../stores/host.ts'
import { boardsText } from '../../text/boards.ts'
import { tearSheetContent } from './readyBoards.ts'

export type PartKind = BoardContent['kind']
type SourceKind = Exclude<PartKind, 'text'>

const MOST_PORTFOLIOS = 50

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
    const kinds = { workbench: 'workspace', sql: 'query', study: 'study' } as const
    const listed = await host.call('documents.list', { kind: kinds[kind] })
    return listed.map(({ id, name }) => ({ value: id, title: name }))
  }

  async function read(kind: SourceKind, id: string): Promise<BoardContent> {
    switch (kind) {
      case 'tearsheet':
        return tearSheetContent(id)
      case 'workbench': {
        const { name, document } = await host.call('documents.read', { kind: 'workspace', id })
        return { kind, name, document }
      }
      case 'sql': {
        const { name, document } = await host.call('documents.read', { kind: 'query', id })
        return { kind, name, sql: document.sql, parameters: document.parameters }
      }
      case 'study': {
        const { name, document } = await host.call('documents.read', { kind: 'study', id })
        if (document.panel !== null) throw new AppError('unsupported', boardsText.add.panel)
        return { kind, document: { ...document.study, name }, panel: null, against: null }
      }
    }
  }

  return { portfolios, list, read }
}
