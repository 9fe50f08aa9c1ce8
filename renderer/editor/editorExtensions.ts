import {
  acceptCompletion,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  type Completion as EditorCompletion,
  type CompletionContext,
  completionKeymap,
  type CompletionResult,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { PostgreSQL, sql, SQLDialect } from '@codemirror/lang-sql'
import { bracketMatching, HighlightStyle, indentUnit, syntaxHighlighting } from '@codemirror/language'
import { EditorState, type Extension, Prec, StateEffect, StateField } from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  placeholder,
} from '@codemirror/view'
import { tags } from '@lezer/highlight'
import type { SqlDictionary } from '#shared/contract/areas/sql.ts'
import { sqlKeywords } from '#shared/sql/sqlTokens.ts'
import { type Completion, sqlCompletions } from './sqlCompletion.ts'

/** Maximum length of the text, because the core refuses longer queries. */
const LONGEST_SQL = 1_000_000

/** Maximum number of visible lines; a longer text scrolls. */
const MOST_LINES = 24

interface EditorOptions {
  label: string
  hint: string
  /** Ids of the elements that describe the editor: its help and its error. */
  describedBy: string
  dictionary(): SqlDictionary | null
  onChange(text: string): void
  run(): void
  format(): void
}

/** Sets up a query editor: colours, line numbers, completion, brackets, and the keys to run. */
export function editorExtensions({ label, hint, describedBy, onChange, ...options }: EditorOptions): Extension {
  const handlerOf = (action: () => void) => () => {
    action()
    return true
  }
  return [
    lineNumbers(),
    highlightActiveLineGutter(),
    history(),
    drawSelection(),
    bracketMatching(),
    closeBrackets(),
    indentUnit.of('  '),
    EditorState.tabSize.of(2),
    sql({ dialect }),
    syntaxHighlighting(colours),
    theme,
    placeholder(hint),
    errorUnderline,
    autocompletion({
      override: [(context) => completionsAt(context, options.dictionary())],
      icons: false,
      interactionDelay: 0,
    }),
    EditorState.changeFilter.of(({ newDoc }) => newDoc.length <= LONGEST_SQL),
    EditorView.contentAttributes.of({
      'aria-label': label,
      'aria-describedby': describedBy,
      spellcheck: 'false',
      autocapitalize: 'off',
    }),
    EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) onChange(state.doc.toString())
    }),
    EditorView.domEventHandlers({ beforeinput: typeOver }),
    Prec.highest(
      keymap.of([
        { key: 'Mod-Enter', run: handlerOf(options.run), stopPropagation: true },
        { key: 'Mod-Shift-f', run: handlerOf(options.format), stopPropagation: true },
        { key: 'Tab', run: acceptCompletion },
      ]),
    ),
    keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap, indentWithTab]),
  ]
}

/**
 * Replaces a selection with typed text. The browser would insert a styled element, which the page's content security
 * policy blocks with a console error.
 */
function typeOver(event: InputEvent, view: EditorView): boolean {
  const { data, inputType, isComposing } = event
  if (inputType !== 'insertText' || data === null || isComposing) return false
  const { from, to } = selectedRange(view)
  if (from === to) return false
  const insert = () =>
    view.state.update({
      changes: { from, to, insert: data },
      selection: { anchor: from + data.length },
      userEvent: 'input.type',
    })
  const isHandled = view.state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, data, insert))
  if (!isHandled) view.dispatch(insert())
  event.preventDefault()
  return true
}

/**
 * Returns the selected range from the browser, because the editor's state follows the browser's selection with a delay.
 */
function selectedRange(view: EditorView): { from: number; to: number } {
  const stateRange = view.state.selection.main
  const selection = document.getSelection()
  if (!stateRange.empty || !selection || selection.rangeCount === 0) return stateRange
  const { startContainer, startOffset, endContainer, endOffset } = selection.getRangeAt(0)
  if (!view.contentDOM.contains(startContainer) || !view.contentDOM.contains(endContainer)) return stateRange
  return { from: view.posAtDOM(startContainer, startOffset), to: view.posAtDOM(endContainer, endOffset) }
}

/** Dialect for colouring: our own keywords, and strings and names as in PostgreSQL, because DuckDB reads them alike. */
const dialect = SQLDialect.define({
  ...PostgreSQL.spec,
  keywords: sqlKeywords.join(' ').toLowerCase(),
  types: 'boolean integer bigint double varchar text',
  doubleDollarQuotedStrings: false,
  specialVar: '$',
})

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--accent)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--positive)' },
  { tag: [tags.number, tags.bool, tags.null, tags.special(tags.name)], color: 'var(--warning)' },
  { tag: [tags.lineComment, tags.blockComment], color: 'var(--text-faint)' },
])

const theme = EditorView.theme({
  '&': { border: '1px solid var(--line-control)', borderRadius: 'var(--radius)', fontSize: '12.5px' },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-1px' },
  '.cm-scroller': { maxHeight: `${MOST_LINES * 18}px`, fontFamily: 'var(--font-mono)', lineHeight: '18px' },
  '.cm-content': { minHeight: `${6 * 18}px`, padding: '6px 0', caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { border: '0', background: 'none', color: 'var(--text-faint)' },
  '.cm-activeLineGutter': { background: 'none', color: 'var(--text-soft)' },
  '.cm-placeholder': { color: 'var(--text-faint)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'var(--accent-soft)',
  },
  '&.cm-focused .cm-matchingBracket': { background: 'var(--hover)', outline: '1px solid var(--line-strong)' },
  '.wrong': { textDecoration: 'underline wavy var(--negative)', textDecorationSkipInk: 'none' },
  '.cm-tooltip': {
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius)',
    background: 'var(--raised)',
    boxShadow: '0 8px 24px var(--shadow)',
    color: 'var(--text)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    maxWidth: 'min(640px, 90vw)',
    maxHeight: '260px',
    fontFamily: 'var(--font-mono)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': {
    padding: '2px 6px',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    background: 'var(--hover)',
    color: 'var(--text)',
  },
  '.cm-completionMatchedText': { textDecoration: 'none' },
  '.cm-completionDetail': {
    marginLeft: '1em',
    color: 'var(--text-faint)',
    fontFamily: 'var(--font)',
    fontStyle: 'normal',
  },
})

/** Returns completions at the cursor; each key recomputes them, because they depend on the whole text. */
function completionsAt(
  { state, pos, explicit }: CompletionContext,
  dictionary: SqlDictionary | null,
): CompletionResult | null {
  if (!dictionary) return null
  const { start, options } = sqlCompletions(state.doc.toString(), pos, dictionary, explicit)
  return options.length === 0 ? null : { from: start, options: options.map(optionOf), filter: false }
}

const optionOf = ({ text, title, hint }: Completion): EditorCompletion => ({
  label: text,
  displayLabel: title,
  detail: hint,
})

/** Effect that underlines the word at a position as wrong; null removes the mark. */
export const markError = StateEffect.define<number | null>()

const errorUnderline = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, { changes, effects, state }) {
    const effect = effects.findLast((each) => each.is(markError))
    return effect ? underlineErrorAt(state, effect.value) : marks.map(changes)
  },
  provide: (field) => EditorView.decorations.from(field),
})

const wrongMark = Decoration.mark({ class: 'wrong' })

/**
 * Underlines the word at a position. If there is no word, it underlines the last character at or before the position
 * that is not a space.
 */
function underlineErrorAt(state: EditorState, place: number | null): DecorationSet {
  const { length } = state.doc
  if (place === null || length === 0) return Decoration.none
  const at = Math.min(place, length)
  const word = state.wordAt(at)
  const from = word?.from ?? lastCharacter(state, at)
  return Decoration.set([wrongMark.range(from, word?.to ?? from + 1)])
}

function lastCharacter(state: EditorState, at: number): number {
  const text = state.sliceDoc(0, Math.min(at + 1, state.doc.length))
  return Math.max(0, text.trimEnd().length - 1)
}
