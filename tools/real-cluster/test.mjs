/**
 * `npm run test:cluster`, for once a week: builds a real API server if there is none, asks it what the small cluster of the tests was held
 * against, and drives it with both kubectl, straight and through a gateway.
 */
import { ensureClientNode } from '../client-node.mjs';
import { ensureInstalled } from '../install.mjs';
import { ensureKubectls } from '../kubectl.mjs';
import { run } from '../run.mjs';
import { ensureRealCluster } from './build.mjs';

const missing = ensureKubectls();
if (missing.length > 0) {
  process.stderr.write(`could not be had: ${missing.join(', ')}\n`);
  process.exit(1);
}
await ensureInstalled();
await ensureClientNode();
await ensureRealCluster();
let worst = 0;
for (const file of ['tools/real-cluster/compare.ts', 'tools/real-cluster/drive.ts']) {
  const { code } = await run('node', [file]);
  worst = Math.max(worst, code);
}
process.exit(worst);
