import { CURRENT_CLUSTER, clusterRoutes } from '@gatehouse/contract/console/clusters';
import { call, type Send } from '@gatehouse/contract/wire/client';
import { type GatewayProcess, startGateway } from '@gatehouse/tools/gateway-process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { localSend } from '../doors/local-socket/local-send.ts';

const KILLS = 20;
let gateway: GatewayProcess;
let send: Send;

beforeAll(async () => {
  gateway = await startGateway({ GATEHOUSE_LOG_LEVEL: 'warn' });
  send = localSend(gateway.dataDir);
});
afterAll(() => gateway?.stop());

/** Writes alerts until the gateway is gone; gives back the names it acknowledged. */
async function writeUntilKilled(round: number): Promise<string[]> {
  const acknowledged: string[] = [];
  try {
    for (let index = 0; ; index += 1) {
      const name = `round-${round}-${index}`;
      await call(send, clusterRoutes.postAlert, {
        params: { clusterId: CURRENT_CLUSTER },
        body: { name, message: name },
      });
      acknowledged.push(name);
    }
  } catch {
    return acknowledged;
  }
}

test(`a gateway killed in the middle of writes ${KILLS} times has every write it acknowledged`, async () => {
  let found = 0;
  for (let round = 0; round < KILLS; round += 1) {
    const writing = writeUntilKilled(round);
    // A different moment of the work each time.
    await new Promise((resolve) => setTimeout(resolve, 20 + round * 7));
    await gateway.crashAndRestart();

    for (const name of await writing) {
      // Taking it back answers 404 when it is not there, and keeps the table small.
      await call(send, clusterRoutes.removeAlert, { params: { clusterId: CURRENT_CLUSTER, name } });
      found += 1;
    }
  }

  expect(found).toBeGreaterThan(KILLS);
});
