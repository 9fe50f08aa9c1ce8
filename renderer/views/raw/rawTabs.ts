import type { Component } from 'vue'
import ComputeTab from './ComputeTab.vue'
import FilesTab from './FilesTab.vue'
import ImportTab from './ImportTab.vue'
import LatencyTab from './LatencyTab.vue'
import RawCatalogTab from './RawCatalogTab.vue'
import ReconcileTab from './ReconcileTab.vue'
import RowsTab from './RowsTab.vue'
import TapeTab from './TapeTab.vue'

export interface RawTab {
  name: string
  title: string
  view: Component
  /** True if the tab shows the events of one instrument. */
  ofInstrument: boolean
}

const tab = (name: string, title: string, view: Component, ofInstrument = true): RawTab => ({
  name,
  title,
  view,
  ofInstrument,
})

export const rawTabs: readonly RawTab[] = [
  tab('catalog', 'Catalog', RawCatalogTab, false),
  tab('import', 'Import', ImportTab, false),
  tab('files', 'Files', FilesTab),
  tab('rows', 'Rows', RowsTab),
  tab('latency', 'Latency', LatencyTab),
  tab('tape', 'Trades over quotes', TapeTab),
  tab('compute', 'Compute', ComputeTab),
  tab('reconcile', 'Reconcile', ReconcileTab),
]
