/** Some keys more, by SCAN: the server is never stopped for it, as KEYS would. */
import type { EditorReply, EditorRequest, RedisText, RedisValue } from '@gatehouse/contract/kinds/db/editor';
import { KINDS_AND_ENDS } from '../../engine/redis/own-script.ts';
import { SqlError } from '../thread/sql-client.ts';
import { numberOf, textsOf } from './look-at-key.ts';
import type { RedisClient } from './redis-client.ts';
import { bytesOf } from './value-reader.ts';

/** What the server looks at for one answer; it may give a few more. */
const SCANNED = '200';
const MAX_KEYS = 2_000;

type KeysRequest = Extract<EditorRequest, { type: 'keys' }>;
type KeysReply = Omit<Extract<EditorReply, { type: 'keys' }>, 'id'>;

export async function listKeys(side: RedisClient, { cursor, match, kind }: KeysRequest): Promise<KeysReply> {
  const words = [
    ...(match === undefined || match === '' || match === '*' ? [] : ['MATCH', match]),
    ...['COUNT', SCANNED],
    ...(kind === undefined ? [] : ['TYPE', kind]),
  ];
  const [found, size] = await Promise.all([side.ask('SCAN', cursor, ...words), side.ask('DBSIZE')]);
  if (found.is === 'error') throw new SqlError('refused', found.value);
  const [next, list] = found.is === 'list' ? found.values : [];
  const names = list ? textsOf(list).slice(0, MAX_KEYS) : [];
  const told = await kindsOf(side, names);
  return {
    type: 'keys',
    cursor: next?.is === 'text' && typeof next.value === 'string' ? next.value : '0',
    total: numberOf(size) ?? 0,
    keys: names.map((name, index) => ({ name, kind: kind ?? '', ...told[index] })),
  };
}

/** Older servers know no such command, and a user may be forbidden it: then a key tells when it is looked at. */
async function kindsOf(
  side: RedisClient,
  names: readonly RedisText[],
): Promise<{ kind?: string; endsInMs?: number }[]> {
  if (names.length === 0) return [];
  const told = await side.ask('EVAL_RO', KINDS_AND_ENDS, String(names.length), ...names.map(bytesOf));
  if (told.is !== 'list') return [];
  const values: readonly RedisValue[] = told.values;
  return names.map((_, index) => {
    const [kind, ms] = [values[2 * index], numberOf(values[2 * index + 1])];
    return {
      ...(kind?.is === 'text' && typeof kind.value === 'string' ? { kind: kind.value } : {}),
      ...(ms === undefined || ms < 0 ? {} : { endsInMs: ms }),
    };
  });
}
