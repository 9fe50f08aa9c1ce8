/** Market jargon and the names that the catalog uses for it; both normalised by `normaliseForSearch`. */
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

/** Returns the catalog's name for a word of jargon; the word itself if it has no synonym. */
export const catalogName = (word: string): string => (Object.hasOwn(synonyms, word) ? synonyms[word] : word)
