/** What every kubectl waits for: the plugin that answers from its cache, beside Node doing nothing; and forty of it at once. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cleanEnvironment, ROOT } from '@gatehouse/testkit/gateway-process';
import { median, runPhases, verdict } from './bench-frame.ts';

const ROUNDS = 20;
const AT_ONCE = 40;
/** Where nothing else runs. */
const MAX_MS = 150;
/** Where something does: the start of Node is what costs, and that is not ours. */
const MAX_RATIO = 3;
const HOUR_MS = 3_600_000;
const run = promisify(execFile);
const OWNER = { origin: 'https://gate.example.com', credential: 'token', name: 'prod' };

interface World {
  env: NodeJS.ProcessEnv;
  close(): Promise<void>;
}

async function start(folder: string): Promise<World> {
  const env = { ...cleanEnvironment(), HOME: folder };
  const kept = join(folder, '.config', 'gatehouse', 'kube');
  mkdirSync(kept, { recursive: true });
  // As the command names it: where it does not find it, it fails, and so does this.
  const { origin, credential, name } = OWNER;
  const key = createHash('sha256')
    .update(JSON.stringify([origin, credential, name]))
    .digest('hex')
    .slice(0, 24);
  const gateways = { [OWNER.origin]: { user: 'ann', token: OWNER.credential, expires: '' } };
  writeFileSync(join(folder, '.config', 'gatehouse', 'credentials.json'), JSON.stringify({ gateways }));
  const now = Date.now();
  writeFileSync(join(kept, `${key}.json`), JSON.stringify({ token: '0'.repeat(64), given: now, until: now + HOUR_MS }));
  return { env, close: async () => {} };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

const plugin = ({ env }: World) =>
  run(join(ROOT, 'gatehouse'), ['kube', 'credentials', '--gateway', OWNER.origin, OWNER.name], { env });
const bare = () => run(join(ROOT, 'node_modules', '.bin', 'node'), ['-e', '0']);

async function fromCache(world: World): Promise<void> {
  const [own, node]: [number[], number[]] = [[], []];
  await plugin(world);
  for (let round = 0; round < ROUNDS; round += 1) {
    node.push(await timed(bare));
    own.push(await timed(() => plugin(world)));
  }
  const [took, nothing] = [median(own), median(node)];
  const text = `plugin from its cache: ${took.toFixed(0)} ms, ${(took / nothing).toFixed(1)} × Node that does nothing`;
  verdict(
    `${text} (below ${MAX_MS} ms, or ${MAX_RATIO} × on a busy machine)`,
    took < MAX_MS || took < MAX_RATIO * nothing,
  );
}

async function manyAtOnce(world: World): Promise<void> {
  const at = () => Array.from({ length: AT_ONCE });
  const node = await timed(() => Promise.all(at().map(bare)));
  const took = await timed(() => Promise.all(at().map(() => plugin(world))));
  const text = `${AT_ONCE} at once: ${took.toFixed(0)} ms, ${(took / node).toFixed(1)} × as many of Node that do nothing`;
  verdict(`${text} (below ${MAX_RATIO} ×)`, took < MAX_RATIO * node);
}

await runPhases('kube-plugin', start, [fromCache, manyAtOnce]);
