/** Opens a terminal of the console in a test, on a gateway with one shell. */
import { act, waitFor } from '@testing-library/react';
import { expect } from 'vitest';
import { fakeGateway, fullAcl, NODES } from '../fake-gateway.ts';
import { openPage } from '../open-page.tsx';
import { fakeTerminalGateway } from './fake-terminal-gateway.ts';

export const NODE = '/web/cluster/one/console/node/id-web-01/root';

export function withServers(acl = fullAcl()) {
  const gateway = fakeGateway(acl);
  for (const node of NODES) gateway.answer(`GET /v1/webapi/sites/one/nodes/${node.id}`, { body: node });
  return gateway;
}

export async function openTerminal(path = NODE, gateway = fakeTerminalGateway(), http = withServers()) {
  const others = new Map<string, EventTarget>();
  const openSocket = (socketPath: string) => {
    if (socketPath.endsWith('/terminal')) return gateway.openSocket();
    const other = Object.assign(new EventTarget(), { send: () => {}, close: () => {} });
    others.set(socketPath, other);
    return other as unknown as WebSocket;
  };
  const page = await openPage(path, { gateway: http, world: { openSocket } });
  const connect = async () => {
    await waitFor(() => expect(gateway.lines.length).toBeGreaterThan(0));
    await act(async () => gateway.lines.at(-1)?.open());
  };
  return { ...page, terminal: gateway, connect };
}
