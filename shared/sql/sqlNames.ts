/** Words that DuckDB takes for something else unless they are quoted. */
export const reservedWords: ReadonlySet<string> = new Set(
  (
    'all analyse analyze and any array as asc asymmetric both case cast check collate column constraint create default ' +
    'deferrable desc describe distinct do else end except false fetch for foreign from group having in initially ' +
    'intersect into lambda lateral leading limit not null offset on only or order pivot pivot_longer pivot_wider placing ' +
    'primary qualify references returning select show some summarize symmetric table then to trailing true union unique ' +
    'unpivot using variadic when where window with'
  ).split(' '),
)

/** Writes a name as a query names it: in quotes where it would be read as something else. */
export const sqlName = (name: string): string =>
  /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) && !reservedWords.has(name.toLowerCase())
    ? name
    : `"${name.replaceAll('"', '""')}"`

/** Writes the name of a table with its schema. */
export const sqlTableName = ({ schema, name }: { schema: string; name: string }): string =>
  `${sqlName(schema)}.${sqlName(name)}`
