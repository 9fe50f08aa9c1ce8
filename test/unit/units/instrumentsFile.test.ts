import { describe, expect, it } from 'vitest'
import { readInstruments } from '#shared/contract/instrumentsFile.ts'
import { csvRows } from '#shared/units/csvRows.ts'
import { instrumentRow } from '../../fakes/instrumentRow.ts'

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
  it('gives what its columns say, the last of two lines for the same instrument, which is told', () => {
    const text = 'symbol,exchange,contract_size,funding_every\ns1,v,0.001,8h\ns2,v,,\ns1,v,0.01,4h\n'
    expect(readInstruments(text)).toEqual({
      instruments: [
        instrumentRow({ exchange: 'v', symbol: 's1', contract_size: 0.01, funding_every: '4h' }),
        instrumentRow({ exchange: 'v', symbol: 's2' }),
      ],
      warnings: ['line 4 stands instead of line 2: both describe v s1'],
    })
  })

  it('keeps several rows of a pair in the order of their dates, days and instants written in one way', () => {
    const head = 'exchange,symbol,valid_from,funding_every,funding_offset,funding_rate_per,native,listed,delisted'
    const lines = [
      head,
      'v,s,2026-08-01T08:00Z,1h,0h,8h,,,',
      'v,s,2026-07-01T00:00:00Z,,,,,,2026-09-01',
      'w,s,2026-07-01,4h,,,,,',
      'v,s,,8h,4h,,SUSDT,2025-02-03,',
      'v,s,2026-08-01T08:00:00.000Z,2h,0h,8h,,,',
    ]
    const v = instrumentRow({ exchange: 'v', symbol: 's' })
    expect(readInstruments(lines.join('\n'))).toEqual({
      instruments: [
        { ...v, funding_every: '8h', funding_offset: '4h', native: 'SUSDT', listed: '2025-02-03' },
        { ...v, valid_from: '2026-07-01', delisted: '2026-09-01' },
        {
          ...v,
          ...{ valid_from: '2026-08-01T08:00:00Z', funding_every: '2h', funding_offset: '0h' },
          funding_rate_per: '8h',
        },
        instrumentRow({ exchange: 'w', symbol: 's', valid_from: '2026-07-01', funding_every: '4h' }),
      ],
      warnings: ['line 6 stands instead of line 2: both describe v s from 2026-08-01T08:00:00Z'],
    })
  })

  it('refuses impossible dates, offsets and listings, with those that a row takes from the one before', () => {
    const lines = [
      'exchange,symbol,valid_from,funding_every,funding_offset,funding_rate_per,listed,delisted',
      'v,a,2026-02-30,,,,,',
      'v,b,2026-02-01 08:00,,,,,',
      'v,c,,8h,x,,,',
      'v,d,,8h,,0h,,',
      'v,e,,,,,2026-13-01,',
      'v,f,,,,,,today',
    ]
    expect(readInstruments(lines.join('\n'))).toEqual({
      problems: [
        'line 2: valid_from “2026-02-30” is not a UTC day or an instant such as 2026-08-01T08:00Z',
        'line 3: valid_from “2026-02-01 08:00” is not a UTC day or an instant such as 2026-08-01T08:00Z',
        'line 4: funding_offset “x” is not a duration such as 4h',
        'line 5: funding_rate_per “0h” is not a period such as 8h',
        'line 6: listed “2026-13-01” is not a calendar day such as 2026-08-01',
        'line 7: delisted “today” is not a calendar day such as 2026-08-01',
      ],
    })
    const dated = [
      lines[0],
      'v,a,2026-06-01,4h,,,,',
      'v,a,,8h,4h,,2026-03-01,',
      'v,a,2026-07-01,8h,,,,2026-02-28',
      'v,b,,1h,1h,,,',
      'v,c,,,24h,,2026-03-01,2026-03-01',
    ]
    expect(readInstruments(dated.join('\n'))).toEqual({
      problems: [
        'line 2: funding_offset “4h” is not shorter than the period “4h”',
        'line 4: delisted “2026-02-28” is before listed “2026-03-01”',
        'line 5: funding_offset “1h” is not shorter than the period “1h”',
      ],
    })
  })

  it('may be a JSON array of objects with the same keys', () => {
    const text = `\uFEFF [
      {"exchange": "v", "symbol": "s", "contract_size": 1e-7, "tick": "0.1", "funding_every": " 8h "},
      {"exchange": "v", "symbol": "s", "valid_from": "2026-07-01", "contract_size": null, "quote": ""},
      {"exchange": "v", "symbol": "s", "valid_from": "2026-07-01T00:00Z"}
    ]`
    expect(readInstruments(text)).toEqual({
      instruments: [
        instrumentRow({ exchange: 'v', symbol: 's', contract_size: 1e-7, tick: 0.1, funding_every: '8h' }),
        instrumentRow({ exchange: 'v', symbol: 's', valid_from: '2026-07-01' }),
      ],
      warnings: ['item 3 stands instead of item 2: both describe v s from 2026-07-01'],
    })
    expect(readInstruments('[]')).toEqual({ instruments: [], warnings: [] })
  })

  it('names every bad object of a JSON array by its number', () => {
    const items = [
      { exchange: 'v', symbol: 's', size: 1 },
      ['v', 's'],
      { exchange: 'v' },
      { exchange: 'v', symbol: 's', funding_every: 8 },
      { exchange: 'v', symbol: 's', contract_size: -1 },
      { exchange: 'v', symbol: 't', funding_every: '8h', funding_offset: '9h' },
    ]
    expect(readInstruments(JSON.stringify(items))).toEqual({
      problems: [
        'item 1: unknown key “size”',
        'item 2: is not an object',
        'item 3: needs an exchange and a symbol',
        'item 4: funding_every “8” is not a text',
        'item 5: contract_size “-1” is not a number above 0',
      ],
    })
    expect(readInstruments(JSON.stringify(items.slice(5)))).toEqual({
      problems: ['item 1: funding_offset “9h” is not shorter than the period “8h”'],
    })
    expect(readInstruments('{"exchange": "v"}')).toEqual({ problems: ['the file is not a JSON array of objects'] })
    expect(readInstruments('[{')).toEqual({ problems: ['the file cannot be read: it is not JSON'] })
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
