import { MOST_SCANS, type SavedScan, type WorkspaceDocument } from './workspace.ts'

/** Keeps a scan under its name, in place of an older one of that name; the oldest gives way where there is no room. */
export function saveScan(document: WorkspaceDocument, scan: SavedScan): WorkspaceDocument {
  const others = (document.scans ?? []).filter(({ name }) => name !== scan.name)
  return { ...document, scans: [...others, scan].slice(-MOST_SCANS) }
}

/** Removes a scan; a document without scans is as it was before there were any. */
export function removeScan(document: WorkspaceDocument, name: string): WorkspaceDocument {
  const { scans = [], ...rest } = document
  const left = scans.filter((scan) => scan.name !== name)
  return left.length > 0 ? { ...rest, scans: left } : rest
}
