import type { QueryConfig } from 'pg'

/**
 * Returns a query that runs one of a store's statements by its name, so that PostgreSQL plans it once per connection.
 *
 * This is the only way to run one by name. The store exports its `statements`, and `npm run generate` writes each to
 * `server/sql`, so that a change of a shared fragment is seen in every statement that it is part of.
 */
export function prepared<Name extends string>(
  statements: Readonly<Record<Name, string>>,
  name: Name,
  values: unknown[] = [],
): QueryConfig {
  return { name, text: statements[name], values }
}
