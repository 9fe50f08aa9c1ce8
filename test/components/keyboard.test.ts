import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Command } from '../../renderer/stores/commands.ts'
import { listenToKeys, type KeyCommands } from '../../renderer/shell/keyboard.ts'

let commands: KeyCommands & { ran: string[] }
let stop: () => void

const command = (id: string, ...shortcuts: string[]): Command => ({
  id,
  title: id,
  group: 'View',
  shortcuts,
  run: () => {},
})

beforeEach(() => {
  const ran: string[] = []
  commands = {
    ran,
    singleKeys: true,
    offered: [command('catalog', 'g c'), command('help', '?'), command('palette', 'Mod+K'), command('plain', 'c')],
    run: (id) => ran.push(id) > 0,
  }
  stop = listenToKeys(commands)
})

afterEach(() => {
  stop()
  document.body.replaceChildren()
})

function press(key: string, options: KeyboardEventInit = {}, target: EventTarget = document.body): KeyboardEvent {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...options })
  target.dispatchEvent(event)
  return event
}

it('runs single keys, sequences and keys with a modifier', () => {
  press('?')
  press('g')
  press('c')
  const mod = press('k', { ctrlKey: true })
  press('c')
  expect(commands.ran).toEqual(['help', 'catalog', 'palette', 'plain'])
  expect(mod.defaultPrevented).toBe(true)
})

it('tells Ctrl+Shift+Z from Ctrl+Z, also with Caps Lock', () => {
  commands.offered = [command('undo', 'Mod+Z'), command('redo', 'Mod+Y', 'Mod+Shift+Z'), command('larger', 'Mod+=')]
  press('z', { ctrlKey: true })
  press('Z', { ctrlKey: true })
  press('Z', { ctrlKey: true, shiftKey: true })
  press('z', { ctrlKey: true, shiftKey: true })
  press('+', { ctrlKey: true, shiftKey: true })
  expect(commands.ran).toEqual(['undo', 'undo', 'redo', 'redo', 'larger'])
})

it('leaves undo to a text field, but not to a choice', () => {
  commands.offered = [command('undo', 'Mod+Z'), command('redo', 'Mod+Y')]
  const focusable = (type: string) => {
    const input = document.createElement('input')
    input.type = type
    document.body.append(input)
    return input
  }
  press('z', { ctrlKey: true }, focusable('text'))
  press('y', { ctrlKey: true }, focusable('search'))
  expect(commands.ran).toEqual([])
  press('z', { ctrlKey: true }, focusable('radio'))
  press('y', { ctrlKey: true }, focusable('checkbox'))
  expect(commands.ran).toEqual(['undo', 'redo'])
})

it('forgets the first key of a sequence after a while', () => {
  const at = (key: string, timeStamp: number) => {
    const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })
    Object.defineProperty(event, 'timeStamp', { value: timeStamp })
    document.body.dispatchEvent(event)
  }
  at('g', 1000)
  at('c', 1500)
  at('g', 2000)
  at('c', 9000)
  expect(commands.ran).toEqual(['catalog', 'plain'])
})

it('leaves letters to fields and dialogs, but not the keys with a modifier', () => {
  const input = document.createElement('input')
  document.body.append(input)
  press('?', {}, input)
  press('k', { ctrlKey: true }, input)
  input.remove()
  const dialog = document.createElement('div')
  dialog.setAttribute('aria-modal', 'true')
  document.body.append(dialog)
  press('?', {}, dialog)
  expect(commands.ran).toEqual(['palette'])
})

it('leaves alone what another listener took, and what is being composed', () => {
  press('?', { isComposing: true })
  const taken = new KeyboardEvent('keydown', { key: '?', bubbles: true, cancelable: true })
  document.body.addEventListener('keydown', (event) => event.preventDefault(), { once: true })
  document.body.dispatchEvent(taken)
  expect(commands.ran).toEqual([])
})

it('can be told to ignore single keys', () => {
  commands.singleKeys = false
  press('?')
  press('k', { ctrlKey: true })
  expect(commands.ran).toEqual(['palette'])
})

it('goes on with a sequence whose first key focused a text field, and types nothing there', () => {
  const chart = document.createElement('div')
  const field = document.createElement('input')
  document.body.append(chart, field)
  chart.addEventListener('keydown', (event) => {
    field.focus()
    event.preventDefault()
  })
  press('g', {}, chart)
  expect(press('c', {}, field).defaultPrevented).toBe(true)
  expect(commands.ran).toEqual(['catalog'])

  // Everything else is typed: other letters, keys after a pause, and letters in a field that was clicked.
  press('g', {}, chart)
  expect(press('2', {}, field).defaultPrevented).toBe(false)
  expect(press('c', {}, field).defaultPrevented).toBe(false)
  press('g')
  field.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }))
  expect(press('c', {}, field).defaultPrevented).toBe(false)
  press('g', {}, field)
  expect(press('c', {}, field).defaultPrevented).toBe(false)
  expect(commands.ran).toEqual(['catalog'])
})
