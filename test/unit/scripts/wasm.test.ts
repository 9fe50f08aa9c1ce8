import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { compileModule } from '../../../scripts/wasm/compileModule.mjs'
import { moduleFile } from '../../../scripts/wasm/moduleFile.mjs'

const root = join(import.meta.dirname, '../../..')
const source = () => readFileSync(join(root, 'scripts/wasm/csvRows.as'), 'utf8')

type Run = (a: number, b: number) => number

function instantiate(code: string): Run {
  const memory = new WebAssembly.Memory({ initial: 1 })
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(compileModule(code)), { env: { memory } })
  return exports.run as Run
}

describe('the compiler of WebAssembly', () => {
  it('makes the module in the sources from the code beside it', () => {
    const kept = readFileSync(join(root, 'electron/core/export/csvRowsModule.ts'), 'utf8')
    expect(moduleFile(compileModule(source()))).toBe(kept)
  })

  it('compiles conditions, loops and functions that are inlined', () => {
    const run = instantiate(`
      const STEP: i32 = 2;
      @inline function larger(a: i32, b: i32): i32 { if (a > b) return a; return b; }
      function twice(a: i32): i32 { return a * STEP; }
      export function run(a: i32, b: i32): i32 {
        let sum: i32 = 0;
        for (let at: i32 = 0; at < larger(a, b); at++) { if (at == 1 || !at) sum += 10; else sum = sum + twice(at); }
        while (sum > 100) sum -= 100;
        return a < 0 && b < 0 ? 0 - sum : sum;
      }`)
    expect([run(0, 0), run(1, 2), run(3, 5), run(12, 3)]).toEqual([0, 20, 38, 50])
  })

  it.each([
    ['export function run(a: i32, b: i64): i32 { return a + b; }', 'line 1: i32 is expected here, not i64: b'],
    ['\nexport function run(a: i32): i32 { return a % 3; }', 'line 2: unsupported operator: a % 3'],
    ['export function run(a: i32): i32 { return other(a); }', 'line 1: unknown function: other(a)'],
  ])('refuses %j', (code, message) => expect(() => compileModule(code)).toThrow(message))
})
