/** Which sessions' recordings somebody may see, as a condition for SQL: what is not theirs is neither listed nor counted nor found. */
import { factsOf, type Kind, kinds, rows } from '@gatehouse/contract/kinds/kinds';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { AccessControl } from '../../../access/create-access.ts';
import { covers } from '../../../access/decide.ts';
import { constant, negate, simplifyWhere } from '../../../access/where/simplify-where.ts';
import type { FactName, Operand, Where } from '../../../access/where/where-expression.ts';
import type { Actor } from '../../../platform/http/actor.ts';
import { isPostgres } from '../../../platform/storage/named-lock.ts';
import type { Db } from '../../../platform/storage/tables.ts';

export type RecordingVerb = 'list' | 'read';
/** As rules name recordings. */
const RECORDED = 'session';

type Rights = Pick<AccessControl, 'of' | 'lockOn'>;

/** On rows of `session`; says the same as `mayRecording` of each. */
export function visibleSessions(db: Db, access: Rights, actor: Actor, verb: RecordingVerb): RawBuilder<SqlBool> {
  return conditionOf(db, whereFor(access, actor, verb));
}

/** What is left to ask of a session once everything else is known. */
function whereFor(access: Rights, actor: Actor, verb: RecordingVerb): Where {
  if (!actor.acl.recordedSessions[verb]) return constant(false);
  if (actor.isOwner) return constant(true);
  if (access.lockOn(actor)) return constant(false);
  const { roles } = access.of(actor);
  const anyOf = (side: 'allow' | 'deny'): Where => {
    const rules = roles.flatMap((role) => role[side].rules).filter((rule) => covers(rule, RECORDED, verb));
    const of = rules.map(({ where }) => where ?? constant(true));
    return simplifyWhere({ type: 'or', of }, read);
  };
  return simplifyWhere({ type: 'and', of: [anyOf('allow'), negate(anyOf('deny'))] }, read);
}

function read(name: FactName): readonly string[] | undefined {
  if (name.startsWith('session.')) return undefined;
  return name === 'resource.kind' ? [RECORDED] : [];
}

function conditionOf(db: Db, where: Where): RawBuilder<SqlBool> {
  switch (where.type) {
    case 'constant':
      return where.value ? sql<SqlBool>`1 = 1` : sql<SqlBool>`1 = 0`;
    case 'not':
      return sql<SqlBool>`not ${conditionOf(db, where.of)}`;
    case 'and':
    case 'or': {
      const glue = where.type === 'and' ? sql` and ` : sql` or `;
      return sql<SqlBool>`(${sql.join(
        where.of.map((part) => conditionOf(db, part)),
        glue,
      )})`;
    }
    case 'exists':
      return sql<SqlBool>`exists (select 1 from ${valuesOf(db, where.left)})`;
    default:
      return compared(where.type, valuesOf(db, where.left), valuesOf(db, where.right));
  }
}

/** Both sides as tables of one column: whatever they are, one comparison serves. Nothing in it is ever unknown. */
function compared(
  type: 'equals' | 'contains' | 'has_prefix',
  left: RawBuilder<unknown>,
  right: RawBuilder<unknown>,
): RawBuilder<SqlBool> {
  const some = sql<SqlBool>`exists (select 1 from ${left}) and exists (select 1 from ${right})`;
  const allIn = (these: RawBuilder<unknown>, those: RawBuilder<unknown>) =>
    sql<SqlBool>`not exists (select 1 from ${these} where value not in (select value from ${those}))`;
  const count = (these: RawBuilder<unknown>) => sql`(select count(*) from ${these})`;
  switch (type) {
    case 'equals':
      return sql<SqlBool>`(${some} and ${count(left)} = ${count(right)} and ${allIn(left, right)})`;
    case 'contains':
      return sql<SqlBool>`(${some} and ${allIn(right, left)})`;
    case 'has_prefix':
      return sql<SqlBool>`(${count(left)} = 1 and ${count(right)} = 1
        and exists (select 1 from (select value as whole from ${left}) wholes, (select value as start from ${right}) starts
          where substr(whole, 1, length(start)) = start))`;
    default:
      return type satisfies never;
  }
}

/** A table with a column `value`, without nulls. */
function valuesOf(db: Db, operand: Operand): RawBuilder<unknown> {
  if (operand.type === 'values') return listed(db, operand.values);
  const { name, key = '' } = operand;
  const onPostgres = isPostgres(db);
  switch (name) {
    case 'session.participants':
      return onPostgres
        ? sql`(select value from jsonb_array_elements_text(session.participants) as part(value)) as participants`
        : sql`(select value from json_each(session.participants)) as participants`;
    case 'session.user':
      return sql`(select session."user" as value) as owner`;
    case 'session.kind':
      return sql`(select ${kindName()} as value) as kinds`;
    case 'session.login':
      return sql`(select value from (select ${loginName(onPostgres)} as value) as given where value is not null) as logins`;
    case 'session.server_labels':
      return onPostgres
        ? sql`(select value from (select session.action -> 'resource' -> 'labels' ->> ${key}::text as value) as given where value is not null) as labels`
        : sql`(select value from json_each(session.action, '$.resource.labels') where key = ${key}) as labels`;
    default:
      return listed(db, []);
  }
}

function listed(db: Db, values: readonly string[]): RawBuilder<unknown> {
  const json = JSON.stringify(values);
  return isPostgres(db)
    ? sql`(select value from jsonb_array_elements_text(${json}::jsonb) as part(value)) as given`
    : sql`(select value from json_each(${json})) as given`;
}

/** Kinds of resources as rules and the wire name them. */
function kindName(): RawBuilder<string> {
  const cases = kinds.map((kind: Kind) => sql`when ${sql.lit(kind)} then ${sql.lit(factsOf(kind).sessionKind)}`);
  return sql<string>`case session.kind ${sql.join(cases, sql` `)} else session.kind end`;
}

/** Who somebody became there, by the name each kind has for it. */
function loginName(onPostgres: boolean): RawBuilder<string | null> {
  const cases = rows.flatMap(({ kind, principals }) => {
    const login = principals.find((principal) => principal.login)?.name;
    if (login === undefined) return [];
    const stored = onPostgres
      ? sql`session.action ->> ${sql.lit(login)}`
      : sql`json_extract(session.action, ${sql.lit(`$.${login}`)})`;
    return sql`when ${sql.lit(kind)} then ${stored}`;
  });
  return sql<string | null>`case session.kind ${sql.join(cases, sql` `)} end`;
}
