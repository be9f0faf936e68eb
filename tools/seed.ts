/** `node tools/seed.ts FOLDER [COUNT]`: fills the store in a data folder with servers of five labels each, for trying lists and measuring them. */
import { writeAnnouncements } from '@gatehouse/gateway/inventory/announcement-store';
import { type NewResource, putResources } from '@gatehouse/gateway/inventory/resource-store';
import { silentLog } from '@gatehouse/gateway/platform/std/log';
import { openStorage } from '@gatehouse/gateway/platform/storage/open-storage';
import type { Db } from '@gatehouse/gateway/platform/storage/tables';

const PER_TRANSACTION = 5_000;
const DEFAULT_COUNT = 100_000;

const ENVIRONMENTS = ['dev', 'test', 'staging', 'prod'];
const REGIONS = ['eu-central', 'eu-west', 'us-east', 'us-west', 'ap-south', 'ap-east'];
const SYSTEMS = ['debian', 'ubuntu', 'rocky'];
const TEAMS = Array.from({ length: 20 }, (_, index) => `team-${index}`);
const RACKS = Array.from({ length: 1000 }, (_, index) => `rack-${String(index).padStart(4, '0')}`);

interface SeedOptions {
  cluster: string;
  count: number;
  now?: number;
  /** Until when each counts as announced by an agent of its own; without it, they are as if entered by hand. */
  announcedUntil?: number;
}

export async function seedNodes(db: Db, { cluster, count, now = 0, announcedUntil }: SeedOptions): Promise<void> {
  for (let start = 0; start < count; start += PER_TRANSACTION) {
    const nodes = Array.from({ length: Math.min(PER_TRANSACTION, count - start) }, (_, index) => {
      const node = seededNode(cluster, start + index);
      return announcedUntil === undefined ? node : { ...node, owner: agentOf(start + index) };
    });
    const announced = nodes.filter(({ owner }) => owner !== '');
    await db.transaction().execute(async (tx) => {
      await putResources(tx, nodes, now);
      await writeAnnouncements(
        tx,
        announced.map(({ owner }) => ({ owner, holder: 'seed', digest: '', expires: announcedUntil ?? 0 })),
      );
    });
  }
}

/** The agent that announces the node with this number. */
export function agentOf(index: number): string {
  return `agent-${index}`;
}

export function seededNode(cluster: string, index: number): NewResource {
  const hostname = `host-${String(scatter(index)).padStart(10, '0')}`;
  const address = `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}:22`;
  return {
    cluster,
    kind: 'node' as const,
    id: `node-${index}`,
    name: hostname,
    labels: {
      env: pick(ENVIRONMENTS, index, 1),
      region: pick(REGIONS, index, 2),
      os: pick(SYSTEMS, index, 3),
      team: pick(TEAMS, index, 4),
      rack: pick(RACKS, index, 5),
    },
    spec: { type: 'openssh', hostname, addr: address, hostKeys: [], hostAuthorities: [] },
    owner: '',
    expires: undefined,
  };
}

/** The same nodes every time, without a pattern that an index could profit from. */
function scatter(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

function pick(values: readonly string[], index: number, salt: number): string {
  return values[scatter(scatter(index) + salt) % values.length] as string;
}

if (import.meta.main) {
  const [dataDir, count = String(DEFAULT_COUNT)] = process.argv.slice(2);
  if (!dataDir || !/^\d+$/.test(count)) {
    process.stderr.write('usage: node tools/seed.ts FOLDER [COUNT]\n');
    process.exit(2);
  }
  const storage = await openStorage({ dataDir, log: silentLog, now: Date.now });
  const began = performance.now();
  await seedNodes(storage.db, { cluster: 'localhost', count: Number(count), now: Date.now() });
  process.stdout.write(`${count} servers in ${((performance.now() - began) / 1000).toFixed(1)} s\n`);
  await storage.close();
}
