/** Words of the trade and the names under which the catalog holds them; both in search form. */
const synonyms: Readonly<Record<string, string>> = {
  adv: 'volume_notional',
  bbo: 'l1_price',
  cvd: 'volume_delta',
  funding: 'funding_rate',
  lambda: 'kyle_like_lambda',
  mid: 'midprice',
  obi: 'imbalance',
  ofi: 'imbalance',
  oi: 'open_interest',
  premium: 'basis_bps',
  rv: 'realized_vol',
  tob: 'l1_price',
  vol: 'realized_vol',
  vpin: 'flow_toxicity_score',
}

/** Returns the name that the catalog has for a word of the trade; the word itself where there is none. */
export const catalogName = (word: string): string => (Object.hasOwn(synonyms, word) ? synonyms[word] : word)
