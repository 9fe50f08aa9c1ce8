import { chartColours } from '../../charts/chartColours.ts'
import type { ChartModel, TimeRange } from '../../charts/model.ts'
import { chartPng } from '../../export/chartPng.ts'
import { chartSvg, type ChartPicture } from '../../export/chartSvg.ts'
import { fileName, saveFile } from '../../export/saveFile.ts'
import { useConnections } from '../../stores/connections.ts'
import { useToasts } from '../../stores/toasts.ts'
import { useWorkspaces } from '../../stores/workspaces.ts'
import type { LoadedSeries } from './loadedSeries.ts'
import { provenanceOf } from './provenanceOf.ts'

const WIDTH_PX = 1280
const HEAD_PX = 120
const PANE_PX = 260

interface Exportable {
  model: () => ChartModel
  view: () => TimeRange
  of: (seriesId: string) => LoadedSeries
}

export const exportItems = [
  { id: 'png', title: 'Picture (PNG)' },
  { id: 'svg', title: 'Drawing (SVG)' },
] as const

/** What is seen, and the rows behind it, for use elsewhere. */
export function useExports({ model, view, of }: Exportable) {
  const workspaces = useWorkspaces()
  const connections = useConnections()
  const toasts = useToasts()

  function picture(): ChartPicture {
    const shown = model()
    return {
      model: shown,
      range: view(),
      colours: chartColours(document.documentElement),
      title: workspaces.name,
      provenance: provenanceOf(workspaces.document, of, connections.active?.name ?? ''),
      widthPx: WIDTH_PX,
      heightPx: HEAD_PX + PANE_PX * Math.max(1, shown.panes.length),
    }
  }

  async function exportPicture(kind: 'png' | 'svg'): Promise<void> {
    const content =
      kind === 'png' ? await chartPng(picture()) : new Blob([chartSvg(picture())], { type: 'image/svg+xml' })
    const name = `${fileName(workspaces.name)}.${kind}`
    saveFile(name, content)
    toasts.show({ kind: 'done', words: `Saved ${name}` })
  }

  return (action: string): Promise<void> => exportPicture(action === 'svg' ? 'svg' : 'png')
}
