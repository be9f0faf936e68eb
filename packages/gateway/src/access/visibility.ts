/** Which resources of a kind somebody sees, as a condition for SQL. Decided once per combination of labels, so that SQL only compares numbers. */
import { factsOf, type Kind } from '@gatehouse/contract/kinds/kinds';
import { type ExpressionBuilder, type ExpressionWrapper, type RawBuilder, type SqlBool, sql } from 'kysely';
import { isPostgres } from '../platform/storage/named-lock.ts';
import type { Db, Tables } from '../platform/storage/tables.ts';
import type { Access, Labels } from './bind-access.ts';
import { covers, factsOfObject } from './decide.ts';
import type { LabelSet } from './label-sets.ts';
import { constant, negate, simplifyWhere } from './where/simplify-where.ts';
import type { Operand, Where } from './where/where-expression.ts';

export type Visibility =
  | { type: 'upTo'; newest: number }
  | { type: 'all' }
  | { type: 'none' }
  | { type: 'some'; groups: readonly VisibleGroup[] };

/** Label sets that are seen, and what the name must be like, where a condition asks for it. */
interface VisibleGroup {
  ids: readonly number[];
  name: Where | undefined;
}

export function visibility(access: Access, kind: Kind, sets: readonly LabelSet[]): Visibility {
  const {
    labels: field,
    rules: [resource],
  } = factsOf(kind);
  const allows = access.roles.flatMap(({ allow }) => allow.labels.get(field) ?? []);
  const denies = access.roles.flatMap(({ deny }) => deny.labels.get(field) ?? []);
  const rules = access.roles.flatMap(({ deny }) => deny.rules.filter((rule) => covers(rule, resource, 'list')));
  if (allows.length === 0 || rules.some(({ where }) => !where)) return { type: 'none' };
  if (denies.length === 0 && rules.length === 0 && allows.some(({ everything }) => everything)) return { type: 'all' };

  const groups = new Map<string, { ids: number[]; name: Where | undefined }>();
  for (const { id, labels } of sets) {
    if (denies.some((clause) => clause.matches(labels)) || !allows.some((clause) => clause.matches(labels))) continue;
    const left = negate(leftOf(rules, resource, labels));
    if (left.type === 'constant' && !left.value) continue;
    const name = left.type === 'constant' ? undefined : left;
    const key = name ? JSON.stringify(name) : '';
    const group = groups.get(key);
    if (group) group.ids.push(id);
    else groups.set(key, { ids: [id], name });
  }
  if (groups.size === 0) return { type: 'none' };
  const [only] = groups.values();
  const newest = sets.at(-1)?.id ?? 0;
  // With nothing hidden, one comparison says it; what came after this look is left to the next.
  if (groups.size === 1 && only?.name === undefined && only?.ids.length === sets.length)
    return { type: 'upTo', newest };
  return { type: 'some', groups: [...groups.values()] };
}

/** What is still open of the denying rules when everything but the name is known. */
function leftOf(rules: readonly { where: Where | undefined }[], kind: string, labels: Labels): Where {
  if (rules.length === 0) return constant(false);
  const facts = factsOfObject({ kind, labels });
  return simplifyWhere({ type: 'or', of: rules.map(({ where }) => where ?? constant(true)) }, (fact, key) =>
    fact === 'resource.metadata.name' ? undefined : facts(fact, key),
  );
}

type ResourceBuilder = ExpressionBuilder<Tables, 'resource'>;

/**
 * The condition on rows of `resource`. `drive` says whether the label sets lead, which suits few visible rows, or only
 * filter rows that come in another order.
 */
export function visibleCondition(db: Db, seen: Visibility, drive: 'sets' | 'filter' = 'filter') {
  return (builder: ResourceBuilder): ExpressionWrapper<Tables, 'resource', SqlBool> | RawBuilder<SqlBool> => {
    if (seen.type === 'all') return sql<SqlBool>`1 = 1`;
    if (seen.type === 'none') return sql<SqlBool>`1 = 0`;
    if (seen.type === 'upTo') return sql<SqlBool>`(resource.label_set + 0) <= ${seen.newest}`;
    return builder.or(
      seen.groups.map(({ ids, name }) => {
        const inSets = isInSets(db, ids, drive);
        return name ? builder.and([inSets, nameCondition(name)]) : inSets;
      }),
    );
  };
}

function isInSets(db: Db, ids: readonly number[], drive: 'sets' | 'filter'): RawBuilder<SqlBool> {
  // The sum hides the column from the planner's indexes.
  const set = drive === 'sets' ? sql`resource.label_set` : sql`(resource.label_set + 0)`;
  return isPostgres(db)
    ? sql<SqlBool>`${set} = any(${`{${ids.join(',')}}`}::bigint[])`
    : sql<SqlBool>`${set} in (select value from json_each(${`[${ids.join(',')}]`}))`;
}

function nameCondition(where: Where): RawBuilder<SqlBool> {
  switch (where.type) {
    case 'constant':
      return where.value ? sql<SqlBool>`1 = 1` : sql<SqlBool>`1 = 0`;
    case 'not':
      return sql<SqlBool>`not ${nameCondition(where.of)}`;
    case 'and':
    case 'or':
      return sql<SqlBool>`(${sql.join(where.of.map(nameCondition), where.type === 'and' ? sql` and ` : sql` or `)})`;
    case 'exists':
      return sql<SqlBool>`1 = 1`;
    default:
      return compareName(where.type, where.left, where.right);
  }
}

/** A name is always there and always one: what is compared with it holds one value or several, or is the name itself. */
function compareName(type: 'equals' | 'contains' | 'has_prefix', left: Operand, right: Operand): RawBuilder<SqlBool> {
  if (left.type === 'fact' && right.type === 'fact') return sql<SqlBool>`1 = 1`;
  const values = left.type === 'values' ? left.values : right.type === 'values' ? right.values : [];
  const nameIsRight = right.type === 'fact';
  if (type === 'contains' && nameIsRight) return sql<SqlBool>`resource.name in (${sql.join(values)})`;
  // A list of several values neither equals one name, nor is held by it, nor begins it.
  if (new Set(values).size > 1 || (values.length > 1 && type !== 'contains')) return sql<SqlBool>`1 = 0`;
  const [value = ''] = values;
  if (type !== 'has_prefix') return sql<SqlBool>`resource.name = ${value}`;
  if (nameIsRight) return sql<SqlBool>`substr(cast(${value} as text), 1, length(resource.name)) = resource.name`;
  return sql<SqlBool>`substr(resource.name, 1, ${[...value].length}) = ${value}`;
}
