import { numberFormat, unitLabel, type NumberKind } from '#shared/units/numberKinds.ts'

/** A figure as it stands on a card. */
export const figureText = (kind: NumberKind, value: number | null): string | null =>
  value === null || !Number.isFinite(value) ? null : numberFormat(kind)(value)

export const figureUnit = (kind: NumberKind, counted?: string): string => unitLabel(kind, counted)
