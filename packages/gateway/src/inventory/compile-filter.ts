/** A filter as a condition on rows of `resource`, alike in both engines. No part of it is ever unknown, so that `not` can be trusted. */

import type { Kind } from '@gatehouse/contract/kinds/kinds';
import type { Filter, Operand } from '@gatehouse/contract/wire/filter';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { isPostgres } from '../platform/storage/named-lock.ts';
import type { Db } from '../platform/storage/tables.ts';
import { signOf, sortColumn } from './kind-fields.ts';

type Condition = RawBuilder<SqlBool>;
type Text = RawBuilder<string | null>;

/** With `shown`, words are looked for in it too: what lists show though it stands in no column. */
export function filterCondition(db: Db, kind: Kind, filter: Filter, shown?: RawBuilder<string>): Condition {
  const engine = isPostgres(db) ? POSTGRES : SQLITE;
  const compile = (part: Filter): Condition => {
    switch (part.type) {
      case 'and':
      case 'or':
        return sql<SqlBool>`(${sql.join(part.of.map(compile), part.type === 'and' ? sql` and ` : sql` or `)})`;
      case 'not':
        return sql<SqlBool>`(not ${compile(part.of)})`;
      case 'equals':
        return equals(engine, kind, part.left, part.right);
      case 'exists':
        return exists(engine, kind, part.of);
      case 'search':
        return wordsCondition(db, part.words, shown);
      default:
        return part satisfies never;
    }
  };
  return compile(filter);
}

/** All words must stand in what is searched. */
export function wordsCondition(db: Db, words: readonly string[], shown?: RawBuilder<string>): Condition {
  const engine = isPostgres(db) ? POSTGRES : SQLITE;
  const contains = (text: string) => engine.contains(sql.ref('resource.search'), text);
  if (words.length === 0) return TRUE;
  const found = words.map((word) => {
    const sign = signOf(word);
    const ways = [
      contains(word),
      ...(sign ? [contains(sign)] : []),
      ...(shown ? [engine.contains(sql`lower(${shown})`, word)] : []),
    ];
    return sql<SqlBool>`(${sql.join(ways, sql` or `)})`;
  });
  return sql<SqlBool>`(${sql.join(found, sql` and `)})`;
}

/** A text of its spec; null where there is none. */
export function specText(db: Db, path: readonly string[]): Text {
  return (isPostgres(db) ? POSTGRES : SQLITE).specText(path);
}

interface SqlEngine {
  contains(place: RawBuilder<unknown>, text: string): Condition;
  specText(path: readonly string[]): Text;
}

const SQLITE: SqlEngine = {
  contains: (place, text) => sql<SqlBool>`${place} glob ${`*${text.replaceAll(/[*?[]/g, '[$&]')}*`}`,
  specText(path) {
    const place = `$${path.map((name) => `."${name}"`).join('')}`;
    return sql`(case when json_type(resource.spec, ${place}) = 'text' then json_extract(resource.spec, ${place}) end)`;
  },
};

const POSTGRES: SqlEngine = {
  contains: (place, text) => sql<SqlBool>`${place} like ${`%${text.replaceAll(/[%_\\]/g, '\\$&')}%`}`,
  specText(path) {
    const place = sql`${`{${path.map((name) => `"${name}"`).join(',')}}`}::text[]`;
    return sql`(case when jsonb_typeof(resource.spec #> ${place}) = 'string' then resource.spec #>> ${place} end)`;
  },
};

const TRUE = sql<SqlBool>`(1 = 1)`;
const FALSE = sql<SqlBool>`(1 = 0)`;

function equals(engine: SqlEngine, kind: Kind, left: Operand, right: Operand): Condition {
  if (left.type === 'text' && right.type === 'text') return left.text === right.text ? TRUE : FALSE;
  const label = left.type === 'label' ? left : right.type === 'label' ? right : undefined;
  const text = left.type === 'text' ? left : right.type === 'text' ? right : undefined;
  // Not compared row by row: the engine may begin with the rows that have it.
  if (label && text) {
    return sql<SqlBool>`(resource.seq in (select resource from resource_label where key = ${label.key} and value = ${text.text}))`;
  }
  const [a, b] = [textOf(engine, kind, left), textOf(engine, kind, right)];
  return a && b ? sql<SqlBool>`coalesce(${a} = ${b}, ${FALSE})` : FALSE;
}

function exists(engine: SqlEngine, kind: Kind, operand: Operand): Condition {
  if (operand.type === 'label') {
    return sql<SqlBool>`(resource.seq in (select resource from resource_label where key = ${operand.key}))`;
  }
  const text = textOf(engine, kind, operand);
  return text ? sql<SqlBool>`(${text} is not null)` : FALSE;
}

/** `undefined` for what no resource has. */
function textOf(engine: SqlEngine, kind: Kind, operand: Operand): Text | undefined {
  switch (operand.type) {
    case 'text':
      return sql`cast(${operand.text} as text)`;
    case 'name':
      return sql.ref('resource.name');
    case 'label':
      return sql`(select value from resource_label where resource = resource.seq and key = ${operand.key})`;
    case 'path':
      return pathText(engine, kind, operand.path);
    default:
      return operand satisfies never;
  }
}

/** The shape clients of the wire know: kind, metadata with name and labels, spec. */
function pathText(engine: SqlEngine, kind: Kind, [first, ...rest]: readonly string[]): Text | undefined {
  if (first === 'spec' && rest.length > 0) return engine.specText(rest);
  if (first === 'kind' && rest.length === 0) return sql`cast(${kind} as text)`;
  if (first === 'metadata' && rest.length === 1 && rest[0] === 'name') {
    return sql.ref(`resource.${sortColumn(kind, 'name') ?? 'name'}`);
  }
  return undefined;
}
