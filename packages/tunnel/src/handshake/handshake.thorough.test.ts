import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { rawLink } from '../../testing/hostile.ts';
import { hearChallenge, hearVerdict, proofFor } from '../../testing/spoken-by-hand.ts';
import { newAgentKey, startTestAgent } from '../../testing/test-agent.ts';
import { startTestGateway } from '../../testing/test-gateway.ts';
import { writeMessage } from '../messages.ts';

test('the gateway outlives any bytes an agent can send, before and after it is accepted', async () => {
  const gateway = await startTestGateway({ limits: { handshakeMs: 80, pingEveryMs: 20, silentMs: 60 } });
  onTestFinished(() => gateway.close());
  const say = async (accepted: boolean, noise: Uint8Array[]) => {
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

  await fc.assert(fc.asyncProperty(fc.boolean(), noise, say), { numRuns: 60, endOnFailure: true });

  const agent = startTestAgent({ url: gateway.url });
  onTestFinished(() => agent.close({ drainMs: 0 }));
  const tunnel = await gateway.tunnel();
  expect(await tunnel.ping()).toBeGreaterThan(0);
  expect(gateway.sockets.size).toBe(1);
}, 30_000);

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
