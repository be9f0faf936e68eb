/** The conditions of a search that both engines spell alike. The index of words finds, these decide. */
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { Tables } from '../../../platform/storage/tables.ts';
import type { FindQuery } from './find-query.ts';
import { isWordless, piecesWanted } from './words-wanted.ts';

export function conditions(
  eb: ExpressionBuilder<Tables, 'event'>,
  { from, to, filter }: Pick<FindQuery, 'from' | 'to' | 'filter'>,
  positionOf: (piece: string, text: Expression<string>) => Expression<number>,
): Expression<SqlBool> {
  const wanted: Expression<SqlBool>[] = [eb('event.time', '>=', from), eb('event.time', '<=', to)];
  if (filter.include.length > 0) wanted.push(eb('event.event', 'in', filter.include));
  if (filter.code.length > 0) wanted.push(eb('event.code', 'in', filter.code));
  if (filter.severity.length > 0) wanted.push(eb('event.severity', 'in', filter.severity));
  const equal = [
    ['event.user', filter.user],
    ['event.resource_kind', filter.resourceKind],
    ['event.resource_name', filter.resourceName],
    ['event.session', filter.session],
    ['event.sign_in', filter.signIn],
    ['event.address', filter.address],
  ] as const;
  for (const [column, value] of equal) if (value !== undefined) wanted.push(eb(column, '=', value));
  for (const piece of piecesWanted(filter)) wanted.push(eb(positionOf(piece, everything), '>', 0));
  if (isWordless(filter)) wanted.push(sql<SqlBool>`1 = 0`);
  return eb.and(wanted);
}

const everything = sql<string>`lower(event.data || ' ' || event.event || ' ' || event.code || ' ' || event.session
  || ' ' || event.address || ' ' || event.resource_name || ' ' || event.sign_in)`;
