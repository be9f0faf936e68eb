/** What a key has in it, a page at a time: by commands that keep nobody else waiting. */
import type { EditorReply, RedisText, RedisValue } from '@gatehouse/contract/kinds/db/editor';
import { MAX_CELL_BYTES } from '@gatehouse/contract/kinds/db/editor';
import { SqlError } from '../thread/sql-client.ts';
import type { RedisClient } from './redis-client.ts';

const AT_ONCE = 100;

type KeyReply = Omit<Extract<EditorReply, { type: 'key' }>, 'id' | 'name'>;

interface Kind {
  size: string;
  /** The words behind the key's name, and the command before it. */
  page(cursor: string): [command: string, ...rest: string[]];
  /** Entries of the answer, and where the next page begins; '0': that was all. */
  read(value: RedisValue, cursor: string): { entries: RedisText[][]; cursor: string };
}

const KINDS: Readonly<Record<string, Kind>> = {
  string: {
    size: 'STRLEN',
    page: (cursor) => ['GETRANGE', cursor, String(Number(cursor) + MAX_CELL_BYTES - 1)],
    read(value, cursor) {
      const [text = ''] = textsOf({ is: 'list', values: [value] });
      const read = sizeOf(text);
      return { entries: [[text]], cursor: read < MAX_CELL_BYTES ? '0' : String(Number(cursor) + read) };
    },
  },
  hash: { size: 'HLEN', page: (cursor) => ['HSCAN', cursor, 'COUNT', String(AT_ONCE)], read: scanned(2) },
  set: { size: 'SCARD', page: (cursor) => ['SSCAN', cursor, 'COUNT', String(AT_ONCE)], read: scanned(1) },
  list: {
    size: 'LLEN',
    page: (cursor) => ['LRANGE', cursor, String(Number(cursor) + AT_ONCE - 1)],
    read(value, cursor) {
      const texts = textsOf(value);
      return {
        entries: texts.map((text, index) => [String(Number(cursor) + index), text]),
        cursor: next(texts.length, cursor),
      };
    },
  },
  zset: {
    size: 'ZCARD',
    page: (cursor) => ['ZRANGE', cursor, String(Number(cursor) + AT_ONCE - 1), 'WITHSCORES'],
    read(value, cursor) {
      const entries = grouped(textsOf(value), 2);
      return { entries, cursor: next(entries.length, cursor) };
    },
  },
  stream: {
    size: 'XLEN',
    // One more than is shown: where the next page begins.
    page: (cursor) => ['XRANGE', cursor === '0' ? '-' : cursor, '+', 'COUNT', String(AT_ONCE + 1)],
    read(value) {
      const entries = (value.is === 'list' ? value.values : []).map((entry) => {
        const [id, fields] = entry.is === 'list' ? entry.values : [];
        return [...textsOf({ is: 'list', values: id ? [id] : [] }), ...(fields ? textsOf(fields) : [])];
      });
      const after = entries.at(AT_ONCE)?.[0];
      return { entries: entries.slice(0, AT_ONCE), cursor: typeof after === 'string' ? after : '0' };
    },
  },
};

export async function lookAtKey(side: RedisClient, name: Buffer, cursor: string): Promise<KeyReply> {
  const kind = statusOf(await side.ask('TYPE', name));
  const known = KINDS[kind];
  const [endsIn, encoding, bytes, size] = await Promise.all([
    side.ask('PTTL', name),
    side.ask('OBJECT', 'ENCODING', name),
    side.ask('MEMORY', 'USAGE', name),
    ...(known ? [side.ask(known.size, name)] : []),
  ]);
  const ms = numberOf(endsIn);
  const memory = numberOf(bytes);
  const about = {
    type: 'key' as const,
    kind,
    encoding: encoding?.is === 'text' && typeof encoding.value === 'string' ? encoding.value : '',
    size: numberOf(size) ?? 0,
    ...(ms === undefined || ms < 0 ? {} : { endsInMs: ms }),
    ...(memory === undefined ? {} : { bytes: memory }),
  };
  if (!known) return { ...about, entries: [], cursor: '0' };
  const [first, ...rest] = known.page(cursor);
  const value = await side.ask(first, name, ...rest);
  if (value.is === 'error') throw new SqlError('refused', value.value);
  return { ...about, ...known.read(value, cursor) };
}

function scanned(count: number): Kind['read'] {
  return (value) => {
    const [cursor, found] = value.is === 'list' ? value.values : [];
    const entries = found ? grouped(textsOf(found), count) : [];
    return { entries, cursor: cursor?.is === 'text' && typeof cursor.value === 'string' ? cursor.value : '0' };
  };
}

function next(read: number, cursor: string): string {
  return read < AT_ONCE ? '0' : String(Number(cursor) + read);
}

function grouped(texts: readonly RedisText[], count: number): RedisText[][] {
  return Array.from({ length: Math.floor(texts.length / count) }, (_, index) =>
    texts.slice(index * count, (index + 1) * count),
  );
}

export function textsOf(value: RedisValue): RedisText[] {
  if (value.is !== 'list') return [];
  return value.values.map((each) =>
    each.is === 'text' || each.is === 'status' || each.is === 'number' ? each.value : '',
  );
}

function sizeOf(text: RedisText): number {
  return typeof text === 'string' ? Buffer.byteLength(text) : Buffer.from(text.base64, 'base64').length;
}

export function numberOf(value: RedisValue | undefined): number | undefined {
  return value?.is === 'number' && /^-?\d{1,15}$/.test(value.value) ? Number(value.value) : undefined;
}

export function statusOf(value: RedisValue): string {
  if (value.is === 'error') throw new SqlError('refused', value.value);
  return value.is === 'status' ? value.value : '';
}
