import { expect, test } from 'vitest'
import { BookError } from '#shared/portfolio/book/bookError.ts'
import {
  type GivenFile,
  readAliases,
  readLots,
  readPositions,
  readPrices,
  readWeights,
} from '#shared/portfolio/book/bookFiles.ts'
import { decodeText } from '#shared/units/textEncoding.ts'

const readers = {
  weights: readWeights,
  positions: readPositions,
  aliases: readAliases,
  prices: readPrices,
  lots: readLots,
} satisfies Record<string, (given: GivenFile) => unknown>

const bad: [kind: keyof typeof readers, text: string, says: string][] = [
  ['weights', '', 'line 1'],
  ['weights', 'ticker,weight\n', 'has no weights'],
  ['weights', 'ticker\nA\n', 'line 1: needs the column weight'],
  ['weights', 'ticker,weight\nA,much\n', 'line 2: “much” in the column weight'],
  ['weights', 'ticker,weight\nA,NaN\n', 'line 2: “NaN”'],
  ['weights', 'ticker,weight\nA,Infinity\n', 'line 2: “Infinity”'],
  ['weights', 'ticker;weight\nA;0,5\nA;0,6\n', 'line 3: “A” is also on line 2'],
  ['weights', '\ufeffticker\tweight\nA\t0.1\n\t0.2\n', 'line 3: the column ticker is empty'],
  ['positions', 'symbol,quantity\nA,1\n', 'line 1: needs the column units'],
  ['positions', 'symbol,units\nA,1\nB,--\n', 'line 3: “--” in the column units'],
  ['positions', 'symbol,units\nA,1e999\n', 'line 2: “1e999”'],
  ['positions', 'symbol,units\nA,1\nB,2\nA,3\n', 'line 4: “A” is also on line 2'],
  ['positions', 'symbol|units\n|5\n', 'line 2: the column symbol is empty'],
  ['positions', 'symbol,units\r\nA,0x10\r\n', 'line 2: “0x10”'],
  ['aliases', 'ticker,symbol,multiplier\nA,X,0\n', 'line 2: the multiplier “0” is not above 0'],
  ['aliases', 'ticker,symbol,multiplier\nA,X,-1000\n', 'line 2: the multiplier “-1000”'],
  ['aliases', 'ticker,symbol\nA,X\nB,X\n', 'line 3: A and B are both the symbol X'],
  ['aliases', 'ticker,symbol\nA,\n', 'line 2: the column symbol is empty'],
  ['aliases', 'ticker,symbol\nA,X\nA,Y\n', 'line 3: “A” is also on line 2'],
  ['prices', 'ticker,close\nA,1\n', 'line 1: needs the column price'],
  ['prices', 'ticker,price\nA,cheap\n', 'line 2: “cheap” in the column price'],
  ['prices', 'ticker,price\nA,1\nA,2\n', 'line 3: “A” is also on line 2'],
  ['lots', 'symbol,lot\nA,\n', 'line 2: the column lot is empty'],
  ['lots', 'symbol,lot\nA,0\n', 'line 2: the lot “0” is not above 0'],
  ['lots', 'symbol,lot\nA,-0.1\n', 'line 2: the lot “-0.1”'],
  ['lots', 'symbol,lot,min_units\nA,1,few\n', 'line 2: “few” in the column min_units'],
  ['lots', 'symbol,lot\nA,1\nA,2\n', 'line 3: “A” is also on line 2'],
]

const encodings: Record<string, (text: string) => Uint8Array> = {
  'UTF-8': (text) => Buffer.from(text),
  'UTF-16': (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
}

test.each(bad)('%s %j are refused with their line in every encoding', (kind, text, says) => {
  for (const encode of Object.values(encodings)) {
    const file = { file: 'desk.csv', text: decodeText(encode(text)) }
    expect(() => readers[kind](file)).toThrow(BookError)
    expect(() => readers[kind](file)).toThrow(says)
    expect(() => readers[kind](file)).toThrow('desk.csv')
  }
})

/** How other programs write the same positions. */
const writers: Record<string, string> = {
  'Windows line ends': 'symbol,units\r\nBTC,1.5\r\nETH,-20\r\n',
  'a byte order mark and semicolons with decimal commas': '\ufeffsymbol;units\nBTC;1,5\nETH;-20\n',
  'tabs and other cases, columns turned round': 'Units\tSYMBOL\n1.5\tBTC\n-20\tETH\n',
  'quotes, blanks and empty lines': '"symbol","units"\n"BTC"," 1.5 "\n\nETH , -20\n,,\n',
  'a line that names the separator': 'sep=;\nsymbol;units\nBTC;1,50\nETH;-20,0\n',
  'exponents and a true minus': 'symbol,units\nBTC,15e-1\nETH,\u221220\n',
  'old line ends of a Mac': 'symbol,units\rBTC,1.5\rETH,-20\r',
}

test.each(Object.entries(writers))('positions written with %s are read alike', (_name, text) => {
  for (const encode of Object.values(encodings)) {
    const positions = readPositions({ file: 'desk.csv', text: decodeText(encode(text)) })
    expect(positions.map(({ symbol, units }) => [symbol, units])).toEqual([
      ['BTC', 1.5],
      ['ETH', -20],
    ])
  }
})
