import { describe, expect, it } from 'vitest'
import { readInstruments } from '#shared/contract/instrumentsFile.ts'
import { csvRows } from '#shared/units/csvRows.ts'

const none = { contract_size: null, quote: null, tick: null, funding_every: null, renamed_from: null }

describe('CSV', () => {
  it('keeps quotes, commas and line breaks inside cells, and counts physical lines', () => {
    expect(csvRows('\uFEFFa,b\r\n"x, ""y""\nz",2\n\n,\n"",')).toEqual([
      { line: 1, cells: ['a', 'b'] },
      { line: 2, cells: ['x, "y"\nz', '2'] },
      { line: 5, cells: ['', ''] },
      { line: 6, cells: ['', ''] },
    ])
    expect(csvRows('')).toEqual([])
    expect(csvRows('a')).toEqual([{ line: 1, cells: ['a'] }])
  })
})

describe('a file of instruments', () => {
  it('gives what its columns say, the last of two lines for the same instrument', () => {
    const text = 'symbol,exchange,contract_size,funding_every\ns1,v,0.001,8h\ns2,v,,\ns1,v,0.01,4h\n'
    expect(readInstruments(text)).toEqual({
      instruments: [
        { ...none, exchange: 'v', symbol: 's1', contract_size: 0.01, funding_every: '4h' },
        { ...none, exchange: 'v', symbol: 's2' },
      ],
    })
  })

  it('names every bad line by its number', () => {
    const lines = [
      'exchange,symbol,contract_size,funding_every',
      'v,s,0,',
      'v,s,1,8x',
      ',s,1,',
      'v,s',
      'v,s,Infinity,',
      'v,s,0x10,',
    ]
    expect(readInstruments(lines.join('\n'))).toEqual({
      problems: [
        'line 2: contract_size “0” is not a number above 0',
        'line 3: funding_every “8x” is not a period such as 8h',
        'line 4: needs an exchange and a symbol',
        'line 5: has 2 cells, but the header has 4',
        'line 6: contract_size “Infinity” is not a number above 0',
        'line 7: contract_size “0x10” is not a number above 0',
      ],
    })
    expect(readInstruments('exchange,size\n')).toEqual({ problems: ['line 1: needs the column symbol'] })
    expect(readInstruments('exchange,symbol,size\n')).toEqual({ problems: ['line 1: unknown column “size”'] })
  })
})
