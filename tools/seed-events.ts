/** `node tools/seed-events.ts FOLDER [COUNT [HOURS]]`: fills the log in a data folder with made-up events, for trying the screen of the log. */
import { EVENT_TYPES } from '@gatehouse/contract/audit/catalogue';
import type { EventType } from '@gatehouse/contract/events/define-event';
import { sampleFields } from '@gatehouse/contract/testing/audit/sample-event';
import { appendEvents } from '@gatehouse/gateway/platform/audit/append-events';
import { GATEWAY_CHAIN } from '@gatehouse/gateway/platform/audit/emit';
import { draftEvent } from '@gatehouse/gateway/platform/audit/event-draft';
import { silentLog } from '@gatehouse/gateway/platform/std/log';
import { openStorage } from '@gatehouse/gateway/platform/storage/open-storage';
import type { Db } from '@gatehouse/gateway/platform/storage/tables';

const PER_TRANSACTION = 5_000;
const DEFAULT_COUNT = 5_000;
const DEFAULT_HOURS = 24;
const HOUR_MS = 3_600_000;

/** The first names do most; every type of the catalogue comes now and then. */
const USERS = ['kenji', 'amara', 'ines', 'tomas', 'maya', 'bo', 'lena', 'omar', 'yuki', 'sven'];
const USUAL = ['T1000I', 'T2000I', 'T2004I', 'T3002I', 'TDB02I', 'T7000I', 'TAP03I', 'T3004I', 'T1002I', 'T9000I'];

interface SeedEventsOptions {
  cluster: string;
  count: number;
  hours: number;
  now: number;
}

export async function seedEvents(db: Db, { cluster, count, hours, now }: SeedEventsOptions): Promise<void> {
  const usual = USUAL.flatMap((code) => EVENT_TYPES.filter((type) => type.code === code));
  const times = Array.from({ length: count }, (_, index) => now - hours * HOUR_MS * (1 - busy(share(index, 1)))).sort(
    (a, b) => a - b,
  );
  for (let start = 0; start < count; start += PER_TRANSACTION) {
    const drafts = times.slice(start, start + PER_TRANSACTION).map((time, place) => {
      const index = start + place;
      const types = share(index, 2) < 0.85 ? usual : EVENT_TYPES;
      return seededEvent(pick(types, share(index, 3)), index, { cluster, time: Math.floor(time) });
    });
    await db.transaction().execute((tx) => appendEvents(tx, { chain: GATEWAY_CHAIN }, drafts));
  }
}

function seededEvent(type: EventType, index: number, { cluster, time }: { cluster: string; time: number }) {
  const fields = sampleFields(type);
  const own = 'user' in fields && typeof fields.user === 'string' ? { user: pick(USERS, share(index, 4) ** 2) } : {};
  const address = 'addr.remote' in fields ? { 'addr.remote': `10.8.0.${Math.floor(share(index, 5) * 250)}:51822` } : {};
  return draftEvent(type, { ...fields, ...own, ...address }, {}, { clusterName: cluster, time });
}

/** More happens in the second half than in the first, and one hour stands out. */
function busy(part: number): number {
  return part < 0.12 ? 0.72 + part / 3 : Math.sqrt((part - 0.12) / 0.88);
}

function pick<T>(values: readonly T[], part: number): T {
  return values[Math.min(values.length - 1, Math.floor(part * values.length))] as T;
}

/** Between 0 and 1, the same every time. */
function share(index: number, salt: number): number {
  let mixed = Math.imul((index + 1) ^ (salt * 0x9e3779b1), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
}

if (import.meta.main) {
  const [dataDir, count = String(DEFAULT_COUNT), hours = String(DEFAULT_HOURS)] = process.argv.slice(2);
  if (!dataDir || !/^\d+$/.test(count) || !/^\d+$/.test(hours)) {
    process.stderr.write('usage: node tools/seed-events.ts FOLDER [COUNT [HOURS]]\n');
    process.exit(2);
  }
  const now = Date.now();
  const storage = await openStorage({ dataDir, log: silentLog, now: Date.now });
  await seedEvents(storage.db, { cluster: 'localhost', count: Number(count), hours: Number(hours), now });
  process.stdout.write(`${count} events in ${((Date.now() - now) / 1000).toFixed(1)} s\n`);
  await storage.close();
}
