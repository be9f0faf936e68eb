/** Notices when two living processes use the key of one agent: they push each other out, and somebody has to know. */
import { agentKeyShared } from '@gatehouse/contract/kinds/node/server-events';
import type { Tunnel } from '@gatehouse/tunnel/gateway-tunnel';
import type { Audit } from '../../../platform/audit/emit.ts';
import { BoundedMap } from '../../../platform/std/bounded-map.ts';
import { createOncePer } from '../../../platform/std/throttle.ts';
import type { Db } from '../../../platform/storage/tables.ts';
import { noteSharedKey } from '../join-tokens/join-attempt-store.ts';

/** A restarted agent has a new instance and never comes back as the old one: only two at once do that. */
const REMEMBER_MS = 10 * 60_000;
const REPEAT_MS = 3_600_000;
const PING_MS = 2_000;
const MAX_REMEMBERED = 10_000;

interface Connected {
  agent: { id: string; name: string };
  tunnel: Pick<Tunnel, 'hello' | 'ping'>;
  address: string;
}

export interface DuplicateAgents {
  /** Call it when a connection takes the place of another, before that is closed. */
  watch(before: Connected, after: Connected): Promise<void>;
}

export function createDuplicateAgents({
  db,
  audit,
  now,
}: {
  db: Db;
  audit: Audit;
  now: () => number;
}): DuplicateAgents {
  /** Instances that were pushed out by another, with the time. */
  const pushedOut = new BoundedMap<string, number>(MAX_REMEMBERED);
  const firstTime = createOncePer(REPEAT_MS, now);
  const keyOf = ({ agent, tunnel }: Connected) => `${agent.id} ${tunnel.hello.instanceId}`;

  return {
    async watch(before, after) {
      if (before.tunnel.hello.instanceId === after.tunnel.hello.instanceId) return;
      const back = now() - (pushedOut.get(keyOf(after)) ?? Number.NEGATIVE_INFINITY) < REMEMBER_MS;
      pushedOut.delete(keyOf(before));
      pushedOut.set(keyOf(before), now());
      if (!back || !(await answers(before.tunnel))) return;
      const { id, name } = after.agent;
      if (!firstTime(id)) return;
      const addresses = [before.address, after.address] as const;
      const fields = { host_id: id, node_name: name, addresses: [...addresses] };
      await db.transaction().execute((tx) => audit.emit(tx, agentKeyShared, fields));
      await noteSharedKey(db, { agent: { id, name }, addresses }, now());
    },
  };
}

async function answers(tunnel: Pick<Tunnel, 'ping'>): Promise<boolean> {
  const late = new Promise<false>((resolve) => {
    setTimeout(() => resolve(false), PING_MS).unref();
  });
  return await Promise.race([
    tunnel.ping().then(
      () => true,
      () => false,
    ),
    late,
  ]);
}
