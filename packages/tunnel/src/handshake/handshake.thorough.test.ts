import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { rawLink } from '../../testing/hostile.ts';
import { hearChallenge, hearVerdict, proofFor } from '../../testing/spoken-by-hand.ts';
import { newAgentKey, startTestAgent } from '../../testing/test-agent.ts';
import { startTestGateway } from '../../testing/test-gateway.ts';
import { writeMessage } from '../messages.ts';

test.each([
  // Whoever is to be accepted has the time of a busy machine for it.
  { when: 'before', accepted: false, limits: { handshakeMs: 80 } },
  { when: 'after', accepted: true, limits: { pingEveryMs: 20, silentMs: 60 } },
])('the gateway outlives any bytes an agent can send $when it is accepted', async ({ accepted, limits }) => {
  const gateway = await startTestGateway({ limits });
  onTestFinished(() => gateway.close());
  const say = async (noise: Uint8Array[]) => {
    const { stream } = await rawLink(gateway.url);
    const closed = new Promise((resolve) => stream.once('close', resolve));
    if (accepted) {
      const { bytes } = await hearChallenge(stream);
      await writeMessage(stream, proofFor(bytes, newAgentKey()));
      await hearVerdict(stream);
    }
    for (const piece of noise) stream.write(piece);
    stream.resume();
    await closed;
  };
  const noise = fc.array(fc.oneof(fc.uint8Array({ maxLength: 300 }), http2Frame()), { maxLength: 6 });

  await fc.assert(fc.asyncProperty(noise, say), { numRuns: 30, endOnFailure: true });

  const agent = startTestAgent({ url: gateway.url });
  onTestFinished(() => agent.close({ drainMs: 0 }));
  // An agent that was taken for a silent one on a busy machine comes again.
  await vi.waitFor(async () => {
    const tunnel = await gateway.tunnel();
    expect(await tunnel.ping()).toBeGreaterThan(0);
    expect(gateway.sockets.size).toBe(1);
  });
});

/** Well-formed enough to reach deep into the parser. */
function http2Frame(): fc.Arbitrary<Uint8Array> {
  return fc
    .tuple(
      fc.integer({ min: 0, max: 12 }),
      fc.nat(255),
      fc.constantFrom(0, 1, 2, 3, 2 ** 31 - 1),
      fc.uint8Array({ maxLength: 100 }),
    )
    .map(([type, flags, id, body]) => {
      const header = Buffer.alloc(9);
      header.writeUIntBE(body.length, 0, 3);
      header.writeUInt8(type, 3);
      header.writeUInt8(flags, 4);
      header.writeUInt32BE(id, 5);
      return Buffer.concat([header, body]);
    });
}
