/** Column types for migrations, where the engines spell them differently. */
import { type RawBuilder, sql } from 'kysely';
import type { Engine } from './tables.ts';

interface ColumnTypes {
  /** Text that sorts and compares by its bytes, alike in both engines and never changed by an upgrade of the system. */
  text: RawBuilder<string>;
  json: 'text' | 'jsonb';
  /** Milliseconds since 1970, counts, sizes. */
  integer: 'integer' | 'bigint';
}

export function columnTypes(engine: Engine): ColumnTypes {
  return engine === 'sqlite'
    ? { text: sql`text`, json: 'text', integer: 'integer' }
    : { text: sql`text collate "C"`, json: 'jsonb', integer: 'bigint' };
}
