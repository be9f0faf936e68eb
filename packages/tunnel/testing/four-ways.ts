/** A gateway and an agent connected over each of the four ways, closed when the test is done. */
import { onTestFinished } from 'vitest';
import type { ConnectOptions } from '../src/connect-tunnel.ts';
import { makeCertificate, type TestCertificate } from './certificate.ts';
import { startTestAgent } from './test-agent.ts';
import { startTestGateway } from './test-gateway.ts';

export const WAYS = [
  { encrypted: false, transport: 'upgrade' },
  { encrypted: true, transport: 'upgrade' },
  { encrypted: false, transport: 'websocket' },
  { encrypted: true, transport: 'websocket' },
] as const;

let made: Promise<TestCertificate> | undefined;

export async function connectBy(
  { encrypted, transport }: (typeof WAYS)[number],
  options: Partial<ConnectOptions> = {},
) {
  made ??= makeCertificate();
  const certificate = await made;
  const gateway = await startTestGateway(encrypted ? { certificate } : {});
  const agent = startTestAgent({
    url: gateway.url,
    transport,
    ca: encrypted ? certificate.ca : undefined,
    ...options,
  });
  onTestFinished(async () => {
    await agent.close({ drainMs: 0 });
    await gateway.close();
  });
  return { gateway, agent, tunnel: await gateway.tunnel() };
}
