/** Reads a chain for checking: its links, each with the hash of the event as it is now. */
import { hash as digest } from 'node:crypto';
import { sql } from 'kysely';
import { chainRows, eventHash } from '../../platform/audit/chain.ts';
import type { ChainLink } from '../../platform/audit/check-chain.ts';
import { isPostgres } from '../../platform/storage/named-lock.ts';
import type { Db } from '../../platform/storage/tables.ts';

export interface CheckedLink {
  link: ChainLink;
  actual: string;
}

export async function chainLinks(db: Db, chain: string, after: number, limit: number): Promise<CheckedLink[]> {
  // What somebody put in from outside may not be text at all, and cannot be put together there.
  const written = isPostgres(db) ? undefined : await writtenRows(db, chain, after, limit).catch(() => undefined);
  if (!written) {
    return (await chainRows(db, chain, after, limit)).map((row) => ({ link: row, actual: eventHash(row) }));
  }
  const checked: CheckedLink[] = [];
  for (const { text, ...link } of written) {
    const quick = digest('sha256', String(text), 'hex');
    // The store may write a rare character in another way than we do: then it is written once more, by us.
    checked.push({ link, actual: quick === link.hash ? quick : await slowHash(db, chain, link.chain_index) });
  }
  return checked;
}

async function slowHash(db: Db, chain: string, index: number): Promise<string> {
  const [row] = await chainRows(db, chain, index - 1, 1);
  return row?.chain_index === index ? eventHash(row) : '';
}

const quoted = (column: string) => `json_quote(${column})`;

/** What the hash of an event covers, see `eventHash`, put together where the event is: a third less work than taking it apart here. */
const WRITTEN = sql.raw(
  `'{"address":'||${quoted('address')}||',"chain":'||${quoted('chain')}||',"chain_index":'||chain_index` +
    `||',"cluster":'||${quoted('cluster')}||',"code":'||${quoted('code')}||',"data":'||data||',"event":'||${quoted('event')}` +
    `||',"prev_hash":"'||prev_hash||'","resource_kind":'||${quoted('resource_kind')}` +
    `||',"resource_name":'||${quoted('resource_name')}||',"session":'||${quoted('session')}` +
    `||',"severity":'||${quoted('severity')}||',"sign_in":'||${quoted('sign_in')}||',"time":'||time` +
    `||',"uid":'||${quoted('uid')}||',"user":'||${quoted('"user"')}||'}'`,
);

async function writtenRows(db: Db, chain: string, after: number, limit: number) {
  return await db
    .selectFrom('event')
    .select(['chain_index', 'prev_hash', 'hash'])
    .select(sql<string>`${WRITTEN}`.as('text'))
    .where('chain', '=', chain)
    .where('chain_index', '>', after)
    .orderBy('chain_index')
    .limit(limit)
    .execute();
}
