import { fundingHoursStatement } from './fundingHours.ts'
import { instrumentStatement } from './instruments.ts'

/**
 * Functions that every query may call. `instrument` finds the symbol of a venue; `funding_hours` the funding period at a
 * time; `bucket` floors a time to the start of
 * its half-open bucket, counted from the Unix epoch; `rank_ic` correlates average ranks over the pairs without null or
 * NaN. `annualised` has no value for a loss of more than everything.
 */
export const sqlMacros: readonly string[] = [
  instrumentStatement([]),
  fundingHoursStatement([]),
  `CREATE MACRO bucket(moment, width) AS
     time_bucket(width, CAST(moment AS TIMESTAMP), TIMESTAMP '1970-01-01 00:00:00')`,
  `CREATE MACRO annualised(x, days) AS CASE WHEN 1 + x >= 0 THEN pow(1 + x, 365 / days) - 1 END`,
  `CREATE MACRO rank_ic(x, y) AS list_rank_ic(
     list({x: CAST(x AS DOUBLE), y: CAST(y AS DOUBLE)}) FILTER (
       x IS NOT NULL AND y IS NOT NULL AND NOT isnan(CAST(x AS DOUBLE)) AND NOT isnan(CAST(y AS DOUBLE))))`,
]

/** Helper functions of the macros above. */
export const helperMacros: readonly string[] = [
  // Equal values get the average of their ranks: the lowest rank plus half the number of other equal values.
  `CREATE MACRO list_rank_ic(pairs) AS (
     WITH p AS (SELECT unnest(pairs) AS p),
       r AS (SELECT rank() OVER (ORDER BY p.x) + (count(*) OVER (PARTITION BY p.x) - 1) / 2.0 AS rx,
                    rank() OVER (ORDER BY p.y) + (count(*) OVER (PARTITION BY p.y) - 1) / 2.0 AS ry FROM p)
     SELECT CASE WHEN count(*) < 3 OR stddev_pop(rx) = 0 OR stddev_pop(ry) = 0 THEN NULL ELSE corr(rx, ry) END FROM r)`,
]
