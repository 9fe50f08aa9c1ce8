import { cell, chart, dark, light, picture, visit, wideLight, type Scene } from './scene.ts'

const portfolio = 'portfolio=momentum_ls.20'
const stat = 'main .stat .value'

export const portfolios: readonly Scene[] = [
  { name: 'portfolio-start', open: visit('portfolios/portfolio', 'main h1') },
  {
    name: 'portfolio',
    views: [dark, light, wideLight],
    open: visit(`portfolios/portfolio?${portfolio}&benchmark=BTC`, chart),
  },
  {
    name: 'portfolio-compare',
    views: [light],
    open: visit(`portfolios/portfolio?${portfolio}&from=2025-09-15&compare=carry_ls.20,trend_ls.20`, cell),
  },
  { name: 'portfolio-weights', views: [dark, light], open: visit(`portfolios/weights?${portfolio}`, cell) },
  {
    name: 'portfolio-explain',
    views: [dark, light],
    open: visit(`portfolios/explain?${portfolio}&overlay=vol_target&scaled=1`, stat),
  },
  {
    name: 'portfolio-factors',
    views: [dark, light],
    open: visit('portfolios/factors?factor=momentum&with=carry&from=2026-06-01', stat),
  },
  { name: 'portfolio-universe', views: [light], open: visit('portfolios/universe', cell) },
  {
    name: 'portfolio-overlay',
    views: [light],
    open: visit(`portfolios/overlays?overlay=vol_target&${portfolio}`, cell),
  },
  { name: 'portfolio-regime', open: visit('portfolios/overlays?regime=market_risk&portfolio=&overlay=', cell) },
  {
    name: 'portfolio-prices',
    views: [dark, light],
    open: visit('portfolios/prices?tickers=BTC,ETH,SOL&level=index', `${picture}, ${chart}`),
  },
]
