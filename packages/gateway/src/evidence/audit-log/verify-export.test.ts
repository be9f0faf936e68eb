import { generateKeyPairSync, sign } from 'node:crypto';
import { EVENT_TYPES } from '@gatehouse/contract/audit/catalogue';
import type { SignedCheckpoint } from '@gatehouse/contract/audit/search';
import { sampleFields } from '@gatehouse/contract/testing/audit/sample-event';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openMemoryStorage } from '../../../testing/storage/memory-storage.ts';
import { createAudit } from '../../platform/audit/emit.ts';
import type { Storage } from '../../platform/storage/storage.ts';
import { findEvents } from './search/find-events.ts';
import { NO_FILTER } from './search/find-query.ts';
import { wireText } from './search/wire-text.ts';
import { ExportVerifier } from './verify-export.ts';
import { writeCheckpoint } from './write-checkpoints.ts';

const NOW = Date.UTC(2026, 0, 1);
const SAMPLE = 30;
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
const signer = {
  publicKey: pem,
  sign: (body: string) => ({ body, signature: sign(null, Buffer.from(body), privateKey).toString('base64') }),
};

let storage: Storage;
let lines: string[];
let checkpoint: SignedCheckpoint;

beforeAll(async () => {
  storage = await openMemoryStorage(() => NOW);
  const { db } = storage;
  for (let index = 0; index < SAMPLE; index++) {
    // Two gateways, and every sort of event there is.
    const audit = createAudit({ now: () => NOW + index, clusterName: 'c1', chain: index % 3 === 0 ? 'g2' : 'g1' });
    const type = EVENT_TYPES[index * 5]!;
    await db.transaction().execute((tx) => audit.emit(tx, type, sampleFields(type)));
  }
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  await db.transaction().execute((tx) => writeCheckpoint(tx, { db, signer, clusterName: 'c1', log, now: () => NOW }));
  checkpoint = await db.selectFrom('event_checkpoint').select(['body', 'signature']).executeTakeFirstOrThrow();
  const { rows } = await findEvents(db, {
    from: 0,
    to: NOW * 2,
    filter: NO_FILTER,
    order: 'asc',
    limit: 500,
    after: undefined,
  });
  lines = rows.map((row) => wireText(row, { proof: true }));
});
afterAll(() => storage.close());

function verify(given: readonly string[], isPart = false) {
  const verifier = new ExportVerifier({ publicKey: pem, checkpoint, isPart });
  for (const line of given) if (verifier.add(line)) break;
  return verifier.end();
}

const placeOf = (line: string) => {
  const { chain, index } = (JSON.parse(line) as { gatehouse: { chain: string; index: number } }).gatehouse;
  return { chain, index };
};
const positions = Array.from({ length: SAMPLE }, (_, at) => at);

test('an export as it was made is proven to the checkpoint', () => {
  expect(verify(lines)).toMatchObject({ ok: true, checked: SAMPLE, anchored: true, checkpoint: { number: 1 } });
});

test('another program may have written the lines anew', () => {
  const pretty = lines.map((line) => {
    const { gatehouse, ...rest } = JSON.parse(line) as Record<string, unknown>;
    return JSON.stringify({ gatehouse, ...Object.fromEntries(Object.entries(rest).reverse()) });
  });

  expect(verify(pretty)).toMatchObject({ ok: true, checked: SAMPLE });
});

test('gateways that wrote side by side may stand in any order', () => {
  expect(verify(lines.toReversed())).toMatchObject({ ok: true, checked: SAMPLE });
});

test.each(positions)('line %i missing, changed or cut is named by its chain and place', (at) => {
  const place = placeOf(lines[at]!);
  const event = JSON.parse(lines[at]!) as Record<string, unknown>;

  expect(verify(lines.toSpliced(at, 1)).problem).toMatchObject(place);
  expect(verify(lines.slice(0, at)).ok).toBe(false);
  for (const field of Object.keys(event).filter((name) => name !== 'gatehouse' && name !== 'ei')) {
    const value = field === 'time' ? '2020-01-01T00:00:00.000Z' : `${String(event[field])}x`;
    const changed = lines.with(at, JSON.stringify({ ...event, [field]: value }));
    expect([field, verify(changed).problem]).toMatchObject([field, place]);
  }
  expect(verify(lines.with(at, JSON.stringify({ ...event, added: 1 }))).problem).toMatchObject(place);
});

test('a part is proven from its first event on', () => {
  expect(verify(lines.slice(10), true)).toMatchObject({ ok: true, anchored: true });
  expect(verify(lines.slice(10), false)).toMatchObject({ ok: false, problem: { index: 1 } });
});

test('a part that ends before the checkpoint says that its end is not proven', () => {
  const verifier = new ExportVerifier({ publicKey: pem, checkpoint: undefined, isPart: true });
  for (const line of lines.slice(3, 9)) verifier.add(line);

  expect(verifier.end()).toMatchObject({ ok: true, checked: 6, anchored: false });
});

test('a checkpoint that another key signed is refused', () => {
  const body = checkpoint.body.replace('"number":1', '"number":7');

  expect(() => new ExportVerifier({ publicKey: pem, checkpoint: { ...checkpoint, body }, isPart: false })).toThrow(
    'not signed by this key',
  );
});

test.each(['{}', 'no json', '{"event":"a"}', '[1]', '{"gatehouse":{}}'])(
  'a line that is no event is told: %s',
  (line) => {
    expect(() => verify([line])).toThrow('line 1 is no event with its proof');
  },
);
