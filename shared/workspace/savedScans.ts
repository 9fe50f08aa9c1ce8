import { MOST_SCANS } from './workspaceLimits.ts'
import type { SavedScan, WorkspaceDocument } from './workspaceSchema.ts'

/** Saves a scan, replacing one with the same name; if there is no room, the oldest is dropped. */
export function saveScan(document: WorkspaceDocument, scan: SavedScan): WorkspaceDocument {
  const others = (document.scans ?? []).filter(({ name }) => name !== scan.name)
  return { ...document, scans: [...others, scan].slice(-MOST_SCANS) }
}

/** Removes a scan; without scans the field is absent, as in older documents. */
export function removeScan(document: WorkspaceDocument, name: string): WorkspaceDocument {
  const { scans = [], ...rest } = document
  const otherScans = scans.filter((scan) => scan.name !== name)
  return otherScans.length > 0 ? { ...rest, scans: otherScans } : rest
}
