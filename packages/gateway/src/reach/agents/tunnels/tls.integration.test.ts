import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { TUNNEL_PATH } from '@gatehouse/contract/reach/tunnel/handshake';
import { type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { join, newJoinToken, startAgent, type TestAgent } from '../../../../testing/test-agent.ts';
import { localSend } from '../../../doors/local-socket/local-send.ts';
import { authorityFile } from '../../../platform/tls/self-made.ts';

let gateway: GatewayProcess;
let url: string;
let authority: string;
let started: TestAgent | undefined;
beforeAll(async () => {
  gateway = await startGateway({ GATEHOUSE_TLS_SELF_MADE: 'true' });
  url = `${gateway.origin.replace('http:', 'https:')}${TUNNEL_PATH}`;
  authority = readFileSync(authorityFile(gateway.dataDir), 'utf8');
});
afterEach(() => started?.close({ drainMs: 0 }));
afterAll(() => gateway?.stop());

test.each(['upgrade', 'websocket'] as const)(
  'over TLS an agent proves itself on %s by what both ends of it know',
  async (transport) => {
    const send = localSend(gateway.dataDir);
    const agent = await join(send, { token: await newJoinToken(send), name: transport });

    started = startAgent(agent, { url, transport, pin: new X509Certificate(authority).fingerprint256 });

    await expect.poll(() => started?.taken, { timeout: 10_000 }).toMatchObject([{ refused: [] }]);
  },
);

test('an agent that does not know the authority says nothing to the gateway', async () => {
  const send = localSend(gateway.dataDir);
  const agent = await join(send, { token: await newJoinToken(send), name: 'careful' });

  started = startAgent(agent, { url });

  await expect
    .poll(() => started?.states.at(-1), { timeout: 10_000 })
    .toMatchObject({
      state: 'waiting',
      reason: expect.stringMatching(/certificate/),
    });
});
