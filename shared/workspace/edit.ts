import {
  type DistributionKind,
  isAxisRange,
  isShade,
  type LockedAxis,
  SERIES_COLOURS,
  type ShownUnit,
  type Side,
  type Transform,
} from './chartStyle.ts'
import { declaredColumn } from '../catalog/testedDatasets.ts'
import { allSeries } from './workspace.ts'
import { MOST_DRAWINGS } from './workspaceLimits.ts'
import type {
  Fill,
  NewDrawing,
  SeriesEntry,
  SeriesSource,
  WorkspaceDocument,
  WorkspacePane,
} from './workspaceSchema.ts'

/** Edits of a document; each returns a new document and leaves the old one unchanged. */

/** Returns an unused id, such as `p1` or `s12`. */
function freeId(prefix: string, taken: readonly string[]): string {
  let number = taken.length + 1
  while (taken.includes(`${prefix}${number}`)) number += 1
  return `${prefix}${number}`
}

/** Returns the first unused series name: `a` … `z`, then `a1` … */
export function freeName(document: WorkspaceDocument): string {
  const takenNames = new Set(allSeries(document).map(({ name }) => name))
  for (let round = 0; ; round += 1) {
    for (const letter of 'abcdefghijklmnopqrstuvwxyz') {
      const name = round === 0 ? letter : `${letter}${round}`
      if (!takenNames.has(name)) return name
    }
  }
}

/** Counts the series of each colour. */
function colourUses(entries: readonly SeriesEntry[]): number[] {
  const uses = Array.from({ length: SERIES_COLOURS }, () => 0)
  for (const { colour } of entries) uses[colour % SERIES_COLOURS] += 1
  return uses
}

const isSameInstrument = (one: SeriesSource, other: SeriesSource) =>
  one.kind === 'column' && other.kind === 'column' && one.symbol === other.symbol && one.exchange === other.exchange

/**
 * Returns the palette index of a new series: the one that its instrument has in another pane, if none in its own has it,
 * or else the least used of the colours that its pane uses least.
 */
function freeColour(document: WorkspaceDocument, paneId: string | null, source: SeriesSource): number {
  const own = colourUses(document.panes.find(({ id }) => id === paneId)?.series ?? [])
  const known = allSeries(document).find((entry) => isSameInstrument(entry.source, source))?.colour
  if (known !== undefined && own[known % SERIES_COLOURS] === 0) return known
  const all = colourUses(allSeries(document))
  const weight = (colour: number) => own[colour] * allSeries(document).length + all[colour]
  return all.map((_, colour) => colour).reduce((best, colour) => (weight(colour) < weight(best) ? colour : best), 0)
}

/** Replaces the panes; measures and drawings of removed panes are removed too. */
function withPanes(document: WorkspaceDocument, panes: WorkspacePane[]): WorkspaceDocument {
  const hasPane = ({ paneId }: { paneId: string }) => panes.some(({ id }) => id === paneId)
  const { drawings } = document
  return {
    ...document,
    panes,
    measures: document.measures.filter(hasPane),
    ...(drawings && { drawings: drawings.filter(hasPane) }),
  }
}

export interface NewSeries {
  source: SeriesSource
  style?: SeriesEntry['style']
  label?: string
  unit?: ShownUnit | undefined
}

interface AddedSeries {
  document: WorkspaceDocument
  entry: SeriesEntry
  paneId: string
}

/** Tells whether a series is a funding rate, whose published fractions are too small to read. */
function isFundingRate(source: SeriesSource): boolean {
  if (source.kind !== 'column') return false
  const column = declaredColumn(source.dataset, source.column)
  return column?.kind === 'rate' && column.unit === 'none'
}

/** Adds a series to a pane, or to a new pane at the end if the id is null. */
export function addSeries(document: WorkspaceDocument, paneId: string | null, series: NewSeries): AddedSeries {
  const unit = series.unit ?? (isFundingRate(series.source) ? 'bps' : undefined)
  const entry: SeriesEntry = {
    id: freeId(
      's',
      allSeries(document).map(({ id }) => id),
    ),
    name: freeName(document),
    label: series.label ?? '',
    source: series.source,
    style: series.style ?? 'line',
    axis: 'auto',
    transform: 'none',
    colour: freeColour(document, paneId, series.source),
    hidden: false,
    ...(unit && { unit }),
  }
  if (paneId !== null && document.panes.some(({ id }) => id === paneId)) {
    const panes = document.panes.map((pane) =>
      pane.id === paneId ? { ...pane, series: [...pane.series, entry] } : pane,
    )
    return { document: withPanes(document, panes), entry, paneId }
  }
  const id = freeId(
    'p',
    document.panes.map((pane) => pane.id),
  )
  const pane: WorkspacePane = { id, title: '', scale: 'linear', series: [entry] }
  return { document: withPanes(document, [...document.panes, pane]), entry, paneId: id }
}

/** Removes a series; a pane that loses its last series is removed too. */
export function removeSeries(document: WorkspaceDocument, seriesId: string): WorkspaceDocument {
  const panes = document.panes
    .map((pane) => ({ ...pane, series: pane.series.filter(({ id }) => id !== seriesId) }))
    .filter((pane) => pane.series.length > 0)
  return withPanes(document, panes)
}

export function changeSeries(
  document: WorkspaceDocument,
  seriesId: string,
  patch: Partial<Omit<SeriesEntry, 'id'>>,
): WorkspaceDocument {
  const panes = document.panes.map((pane) => ({
    ...pane,
    series: pane.series.map((entry) => (entry.id === seriesId ? { ...entry, ...patch } : entry)),
  }))
  return withPanes(document, panes)
}

/** Fills the area between a series and something else; null for no fill. */
export const fillSeries = (document: WorkspaceDocument, seriesId: string, fill: Fill | null): WorkspaceDocument =>
  withPanes(
    document,
    document.panes.map((pane) => ({
      ...pane,
      series: pane.series.map((entry) => {
        if (entry.id !== seriesId) return entry
        const { fill: _before, ...rest } = entry
        return fill ? { ...rest, fill } : rest
      }),
    })),
  )

/** Hides a series, or shows it again. */
export const toggleSeries = (document: WorkspaceDocument, seriesId: string): WorkspaceDocument => {
  const entry = allSeries(document).find(({ id }) => id === seriesId)
  return entry ? changeSeries(document, seriesId, { hidden: !entry.hidden }) : document
}

/** Applies a transform to all series of a pane. */
export const transformPane = (document: WorkspaceDocument, paneId: string, transform: Transform): WorkspaceDocument =>
  withPanes(
    document,
    document.panes.map((pane) =>
      pane.id === paneId
        ? { ...pane, series: pane.series.map((entry) => (isShade(entry) ? entry : { ...entry, transform })) }
        : pane,
    ),
  )

export const changePane = (
  document: WorkspaceDocument,
  paneId: string,
  patch: Partial<Pick<WorkspacePane, 'title' | 'scale' | 'robust' | 'apart'>>,
): WorkspaceDocument =>
  withPanes(
    document,
    document.panes.map((pane) => (pane.id === paneId ? { ...pane, ...patch } : pane)),
  )

/** Shows a distribution of the values of a pane in place of their lines; null shows the lines again. */
export const showDistribution = (
  document: WorkspaceDocument,
  paneId: string,
  kind: DistributionKind | null,
): WorkspaceDocument =>
  withPanes(
    document,
    document.panes.map((pane) => {
      if (pane.id !== paneId) return pane
      const { distribution: _before, ...rest } = pane
      return kind ? { ...rest, distribution: kind } : rest
    }),
  )

/** Locks an axis of a pane to bounds; null, or bounds that are not a valid range, unlock it. */
export const lockAxis = (
  document: WorkspaceDocument,
  paneId: string,
  side: Side,
  bounds: LockedAxis | null,
): WorkspaceDocument =>
  withPanes(
    document,
    document.panes.map((pane) => {
      if (pane.id !== paneId) return pane
      const { [side]: _before, ...others } = pane.locked ?? {}
      const locked = bounds && isAxisRange(bounds) ? { ...others, [side]: bounds } : others
      const { locked: _all, ...rest } = pane
      return Object.keys(locked).length > 0 ? { ...rest, locked } : rest
    }),
  )

export const removePane = (document: WorkspaceDocument, paneId: string): WorkspaceDocument =>
  withPanes(
    document,
    document.panes.filter(({ id }) => id !== paneId),
  )

/** Moves a pane up (−1) or down (1). */
export function movePane(document: WorkspaceDocument, paneId: string, by: -1 | 1): WorkspaceDocument {
  const from = document.panes.findIndex(({ id }) => id === paneId)
  const to = from + by
  if (from < 0 || to < 0 || to >= document.panes.length) return document
  const panes = [...document.panes]
  panes.splice(to, 0, ...panes.splice(from, 1))
  return withPanes(document, panes)
}

/**
 * Moves a series one place up or down: within its pane, then into the adjacent pane. Beyond the first or last pane it
 * gets a new pane, unless it is alone in its pane.
 */
export function moveSeries(document: WorkspaceDocument, seriesId: string, by: -1 | 1): WorkspaceDocument {
  const at = document.panes.findIndex(({ series }) => series.some(({ id }) => id === seriesId))
  if (at < 0) return document
  const { series } = document.panes[at]
  const from = series.findIndex(({ id }) => id === seriesId)
  const to = from + by
  if (to >= 0 && to < series.length) {
    const reordered = [...series]
    reordered.splice(to, 0, ...reordered.splice(from, 1))
    return withPanes(
      document,
      document.panes.map((pane, index) => (index === at ? { ...pane, series: reordered } : pane)),
    )
  }
  const neighbour = document.panes[at + by]
  if (!neighbour && series.length === 1) return document
  return moveToPane(document, seriesId, neighbour?.id ?? null, by)
}

/** Moves a series to the adjoining end of another pane; if `paneId` is null, to a new first (`by` −1) or last pane. */
function moveToPane(
  document: WorkspaceDocument,
  seriesId: string,
  paneId: string | null,
  by: -1 | 1 = 1,
): WorkspaceDocument {
  const entry = allSeries(document).find(({ id }) => id === seriesId)
  if (!entry) return document
  const id =
    paneId ??
    freeId(
      'p',
      document.panes.map((pane) => pane.id),
    )
  const panesWithout = document.panes.map((pane) => ({
    ...pane,
    series: pane.series.filter((each) => each.id !== seriesId),
  }))
  const added: WorkspacePane = { id, title: '', scale: 'linear', series: [] }
  const panes = paneId !== null ? panesWithout : by < 0 ? [added, ...panesWithout] : [...panesWithout, added]
  return withPanes(
    document,
    panes
      .map((pane) =>
        pane.id === id ? { ...pane, series: by < 0 ? [...pane.series, entry] : [entry, ...pane.series] } : pane,
      )
      .filter((pane) => pane.series.length > 0),
  )
}

export function addNote(document: WorkspaceDocument, timeMs: number, text: string): WorkspaceDocument {
  const id = freeId(
    'n',
    document.notes.map((note) => note.id),
  )
  const notes = [...document.notes, { id, timeMs, text }].sort((a, b) => a.timeMs - b.timeMs)
  return { ...document, notes }
}

/** Changes the text of a note; an empty note is removed. */
export function changeNote(document: WorkspaceDocument, noteId: string, text: string): WorkspaceDocument {
  const notes = document.notes.map((note) => (note.id === noteId ? { ...note, text } : note))
  return { ...document, notes: notes.filter((note) => note.text.trim() !== '') }
}

export function addMeasure(
  document: WorkspaceDocument,
  measure: { paneId: string; startMs: number; endMs: number },
): WorkspaceDocument {
  const { paneId, startMs, endMs } = measure
  if (!(startMs < endMs)) return document
  const id = freeId(
    'm',
    document.measures.map((each) => each.id),
  )
  return { ...document, measures: [...document.measures, { id, paneId, startMs, endMs }] }
}

export const removeMeasure = (document: WorkspaceDocument, measureId: string): WorkspaceDocument => ({
  ...document,
  measures: document.measures.filter(({ id }) => id !== measureId),
})

export function addDrawing(document: WorkspaceDocument, drawing: NewDrawing): WorkspaceDocument {
  const { drawings = [] } = document
  if (drawings.length >= MOST_DRAWINGS || !document.panes.some(({ id }) => id === drawing.paneId)) return document
  if (drawing.kind !== 'level' && !(drawing.startMs < drawing.endMs)) return document
  const id = freeId(
    'd',
    drawings.map((each) => each.id),
  )
  return { ...document, drawings: [...drawings, { ...drawing, id }] }
}

export const labelDrawing = (document: WorkspaceDocument, drawingId: string, label: string): WorkspaceDocument => ({
  ...document,
  drawings: document.drawings?.map((each) => (each.id === drawingId ? { ...each, label: label.slice(0, 200) } : each)),
})

export const removeDrawing = (document: WorkspaceDocument, drawingId: string): WorkspaceDocument => ({
  ...document,
  drawings: document.drawings?.filter(({ id }) => id !== drawingId),
})
