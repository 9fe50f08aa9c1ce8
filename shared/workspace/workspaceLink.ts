import { keptDocument } from './quickLook.ts'
import type { WorkspaceDocument } from './workspaceSchema.ts'
import { readKept } from './workspaceFile.ts'

/** What the schema adds to a document where it is missing; a link leaves it out, so that it stays short. */
const defaults: Readonly<Record<string, unknown>> = {
  range: null,
  shading: null,
  zone: null,
  title: '',
  scale: 'linear',
  label: '',
  style: 'line',
  axis: 'auto',
  transform: 'none',
  colour: 0,
  hidden: false,
  resampleTo: '',
  origin: 'service',
}
const emptyByDefault: readonly string[] = ['notes', 'measures', 'drawings']

const isDefault = (key: string, value: unknown): boolean =>
  (key in defaults && defaults[key] === value) ||
  (emptyByDefault.includes(key) && Array.isArray(value) && value.length === 0)

/**
 * Writes the chart of a workspace into a link, with all that it draws, but without saved scans and without the windows
 * of its panes.
 */
export function writeLinkedDocument(document: WorkspaceDocument): string {
  const { scans: _scans, ...shown } = keptDocument(document)
  const panes = shown.panes.map(({ apart: _apart, ...pane }) => pane)
  return JSON.stringify({ ...shown, panes }, (key, value: unknown) => (isDefault(key, value) ? undefined : value))
}

/** Tells whether the text of a link is a chart, and not a list of series. */
export const isLinkedDocument = (text: string): boolean => text.trimStart().startsWith('{')

/** Parses the chart of a link, or explains why it cannot be opened. */
export function readLinkedDocument(text: string): { document: WorkspaceDocument } | { problem: string } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { problem: 'The link is incomplete.' }
  }
  return readKept(value)
}
