/**
 * The address lists show of an application, as SQL. Not stored: an application without one of its own is under the
 * gateway's name, which may be another after the next start, and differ between gateways that share a store.
 */
import { sql } from 'kysely';
import { specText } from '../../inventory/compile-filter.ts';
import type { Derived } from '../../inventory/list-plan.ts';
import type { Db } from '../../platform/storage/tables.ts';
import type { AppHosts } from './app-hosts.ts';

/** Stands for the name, to learn what comes before and behind it. */
const NAME = 'name';
/** Keys by which lists go on hold it. */
const MAX_KEY_LENGTH = 256;

export function shownAddress(db: Db, hosts: Pick<AppHosts, 'hostOf' | 'originOf'>): Derived {
  const uri = sql<string>`coalesce(${specText(db, ['uri'])}, '')`;
  const under = hosts.hostOf({ name: NAME, publicAddr: '' }).slice(NAME.length);
  // Where the gateway has only an address, those without a host are shown by where they are dialled.
  const own =
    under === ''
      ? sql<string>`substr(${uri}, 1, ${MAX_KEY_LENGTH})`
      : sql<string>`(resource.name || cast(${under} as text))`;
  const key = sql<string>`(case when resource.third_key = '' then ${own} else resource.third_key end)`;
  const [scheme = '', port = ''] = hosts.originOf(NAME).split(NAME);
  const hosted = sql<string>`(case
    when ${uri} like 'tcp:%' then 'tcp://' || ${key}
    when ${uri} like 'cloud:%' then 'cloud://' || ${key}
    else cast(${scheme} as text) || ${key} || cast(${port} as text) end)`;
  const text = under === '' ? sql<string>`(case when resource.third_key = '' then ${uri} else ${hosted} end)` : hosted;
  return { column: 'third_key', key, text };
}
