import { expect, it } from 'vitest'
import { keyEdit } from '../../renderer/components/textKeys.ts'

/** Presses a key in a text whose selection stands between bars, and shows the text and the selection after it. */
function pressed(shown: string, key: string, shiftKey = false): string | null {
  const [before, selected, after] =
    shown.split('|').length === 3 ? shown.split('|') : [shown.split('|')[0], '', shown.split('|')[1]]
  const edit = keyEdit(before + selected + after, [before.length, before.length + selected.length], { key, shiftKey })
  if (!edit) return null
  const { from, to, text, selection } = edit
  const all = before + selected + after
  const made = all.slice(0, from) + text + all.slice(to)
  const [start, end] = selection
  return start === end
    ? `${made.slice(0, start)}|${made.slice(start)}`
    : `${made.slice(0, start)}|${made.slice(start, end)}|${made.slice(end)}`
}

it.each([
  ['SELECT |', 'Tab', false, 'SELECT   |'],
  ['a\n|b\nc|\nd', 'Tab', false, 'a\n  |b\n  c|\nd'],
  ['a\n  |b\n c|\nd', 'Tab', true, 'a\n|b\nc|\nd'],
  ['count|', '(', false, 'count(|)'],
  ['count(|)', ')', false, 'count()|'],
  ['count(|)', 'Backspace', false, 'count|'],
  ['x |a + b| y', '(', false, 'x (|a + b|) y'],
  ['|BTC|', "'", false, "'|BTC|'"],
])('%j and %s make %j', (shown, key, shiftKey, expected) => {
  expect(pressed(shown, key, shiftKey)).toBe(expected)
})

it.each([
  ['|name', '('],
  ["it|'s", "'"],
  ['a|b', 'x'],
  ['a|', 'Backspace'],
])('%j and %s stay an ordinary key', (shown, key) => {
  expect(pressed(shown, key)).toBeNull()
})
