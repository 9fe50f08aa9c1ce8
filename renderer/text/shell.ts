// Convention for renderer/text: one file per area of the window (shell, stores, charts, tables, components, and one per screen).
// Each exports one object named `<area>Text` of constants, and of small functions where a text contains a value:
//   export const catalogText = { title: 'Catalog', rowsShown: (shown: number, total: number) => `${shown} of ${plural(total, 'row')}` } as const
// Group by what is on the screen, in the order one meets it. Sentence case, present tense, no full stop after a label or a heading;
// counts through `plural()` of #shared/units/plurals.ts, times and numbers formatted here by #shared/units, never by the caller.
// A text used by two areas stands in the one that owns the component. No Vue, no state; only #shared may be imported.

export const shellText = {
  appName: 'Perpscope',
} as const
