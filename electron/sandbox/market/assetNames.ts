import { RandomStream } from './random.ts'

/** Assets with a fixed first price: name, price on 2020-01-01 or at listing, year of listing. */
export const majors: readonly (readonly [base: string, price: number, year: number])[] = [
  ['BTC', 7200, 2019],
  ['ETH', 130, 2019],
  ['XRP', 0.19, 2019],
  ['LTC', 42, 2019],
  ['BCH', 205, 2019],
  ['BNB', 14, 2019],
  ['EOS', 2.6, 2019],
  ['LINK', 1.8, 2019],
  ['TRX', 0.0133, 2019],
  ['XLM', 0.045, 2019],
  ['ADA', 0.033, 2019],
  ['ETC', 4.5, 2019],
  ['DASH', 41, 2019],
  ['ZEC', 28, 2019],
  ['XMR', 45, 2019],
  ['ATOM', 4.3, 2019],
  ['XTZ', 1.35, 2019],
  ['ONT', 0.52, 2019],
  ['NEO', 8.7, 2019],
  ['VET', 0.0055, 2019],
  ['QTUM', 1.6, 2019],
  ['IOTA', 0.16, 2019],
  ['BAT', 0.19, 2019],
  ['ALGO', 0.22, 2019],
  ['ZIL', 0.0045, 2019],
  ['DOGE', 0.0025, 2020],
  ['SOL', 2.1, 2020],
  ['DOT', 5.2, 2020],
  ['AVAX', 4.2, 2020],
  ['UNI', 3.4, 2020],
  ['AAVE', 52, 2020],
  ['FIL', 32, 2020],
  ['NEAR', 1.2, 2020],
  ['MKR', 560, 2020],
  ['COMP', 160, 2020],
  ['SUSHI', 2.7, 2020],
  ['YFI', 21000, 2020],
  ['SNX', 3.9, 2020],
  ['CRV', 1.1, 2020],
  ['KSM', 32, 2020],
  ['1000SHIB', 0.013, 2021],
  ['ICP', 310, 2021],
  ['AXS', 7, 2021],
  ['SAND', 0.3, 2021],
  ['MANA', 0.6, 2021],
  ['GALA', 0.018, 2021],
  ['DYDX', 11, 2021],
  ['ENS', 48, 2021],
  ['APE', 12, 2022],
  ['OP', 1.4, 2022],
  ['LDO', 1.9, 2022],
  ['APT', 8.2, 2022],
  ['ARB', 1.25, 2023],
  ['SUI', 1.2, 2023],
  ['1000PEPE', 0.0011, 2023],
  ['WLD', 2.1, 2023],
  ['SEI', 0.18, 2023],
  ['TIA', 2.3, 2023],
  ['ORDI', 7.5, 2023],
  ['JUP', 0.6, 2024],
  ['WIF', 1.4, 2024],
  ['ENA', 0.75, 2024],
  ['TON', 4.8, 2024],
  ['HYPE', 9, 2024],
  ['TRUMP', 24, 2025],
  ['0G', 3.1, 2025],
  ['A', 0.62, 2025],
  ['1MBABYDOGE', 0.0021, 2024],
  ['龙', 0.031, 2024],
  ['BTC-DOM', 1010, 2021],
]

const otherNames =
  `RUNE GRT THETA EGLD FTM CHZ ENJ KAVA ANKR IOST OMG RVN SXP STORJ BAND BAL CTK DEFI-IDX OCEAN SKL REN KNC
1INCH LIT UNFI ALICE CELR HOT ONE IOTX COTI BEL ALPHA RSR SFP LINA ZEN BLZ FLM CTSI DENT MTL OGN NKN HBAR STMX CHR KLAY
C98 MASK ATA GTC LPT AR IMX FLOW ROSE DUSK PEOPLE JASMY WOO GMT BSW DAR INJ STG SPELL LUNA2 FOOTBALL-IDX QNT FET MAGIC
T HIGH MINA HOOK GMX RNDR CFX STX ACH SSV CKB PERP TRU TWT LQTY ID JOE HFT AMB LEVER RDNT 1000FLOKI BLUR EDU
UMA RAD MAV PENDLE ARKM YGG BNT OXT CYBER HIFI 1000BONK BIGTIME BOND MEME TOKEN 1000SATS RATS ACE NFP AI XAI MANTA ALT
ZETA RONIN DYM PIXEL STRK MAVIA AXL ETHFI METIS AEVO VANRY BOME W TNSR SAGA OMNI REZ BB NOT TURBO IO ZK ZRO LISTA
BANANA DOGS POPCAT CATI HMSTR EIGEN SCR GOAT MOODENG GRASS DRIFT PNUT ACT 4 币安人生 火箭 1000000MOG 1000CAT 1000X 42 2Z
VIRTUAL PENGU FARTCOIN AIXBT S LAYER BERA IP KAITO RED NIL PARTI BABY SIGN HAEDAL SYRUP SOON HOME SAHARA PUMP-FUN LINEA
US-TECH-IDX GOLD-X`.split(/\s+/)

const firstSyllables = 'BA DO KE LU MI NO RA SE TI VO ZA FI GLO PRI STA CRY NEX ORB SYN VAL'.split(' ')
const lastSyllables = 'X N RA LIX DA GE KO MO NT P QU RO S TA VE Z CO FY LO ON'.split(' ')

/** Invents names that are not in `taken`, the same for every seed. */
function inventNames(count: number, taken: ReadonlySet<string>): string[] {
  const random = new RandomStream('asset names')
  const names = new Set<string>()
  while (names.size < count) {
    const middle = random.chance(0.4) ? firstSyllables[random.below(firstSyllables.length)] : ''
    const name =
      firstSyllables[random.below(firstSyllables.length)] + middle + lastSyllables[random.below(lastSyllables.length)]
    if (name.length <= 8 && !taken.has(name)) names.add(name)
  }
  return [...names]
}

/** Lists the names of `count` assets besides the majors, the best known first. */
export function minorNames(count: number): string[] {
  const takenBases = new Set([...majors.map(([base]) => base), ...otherNames])
  return [...otherNames, ...inventNames(Math.max(0, count - otherNames.length), takenBases)].slice(0, count)
}
