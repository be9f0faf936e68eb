/** A root that tells without end, at the leaf that hears it. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { expect, test } from 'vitest';
import { join, startCluster } from '../../../../testing/federation/two-clusters.ts';
import type { NewsLine } from '../../../platform/std/news-line.ts';
import { announceKeys } from './key-announcement.ts';

test('keys without end fill no log of the leaf', async () => {
  const [root, leaf] = [await startCluster('home'), await startCluster('east')];
  const over = new AbortController();
  try {
    await join(root, leaf);
    const { keys } = root.identity.federation;
    const between = { from: root.storage.cluster.clusterId, to: leaf.storage.cluster.clusterId };
    const another = async () => {
      const { privateKey, publicKey } = generateKeyPairSync('ed25519');
      const next = publicKey.export({ format: 'jwk' }).x ?? '';
      const lying = {
        now: async () => ({ ...(await keys.now()), next: { publicKey: next, signsFrom: 0 } }),
        sign: keys.sign,
        signByNext: async (data: Buffer) => sign(null, data, privateKey),
      };
      return { type: 'keys', announcement: await announceKeys(lying as never, between) };
    };
    const line: NewsLine = { over: over.signal, say() {}, cut: (why) => over.abort(new Error(why)) };
    const hear = leaf.identity.federation.news.withRoot('root', line);
    const told = await Promise.all(Array.from({ length: 60 }, another));

    const heard = (async () => {
      for (const news of told) if (!over.signal.aborted) await hear(news);
    })();
    // Ten seconds for each that is too many: nobody waits for all of them.
    await Promise.race([heard, new Promise((resolve) => setTimeout(resolve, 5_000))]);

    const rotated = (await leaf.events()).filter(({ code }) => code === 'GH223I').length;
    expect(over.signal.aborted).toBe(false);
    expect(rotated).toBeGreaterThan(5);
    expect(rotated).toBeLessThanOrEqual(21);
  } finally {
    over.abort();
    await leaf.close();
    await root.close();
  }
});
