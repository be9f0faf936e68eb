/** A gateway with a real desktop behind it: Debian's xrdp, whose password the gateway has stored. */
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { desktopRoutes } from '@gatehouse/contract/kinds/desktop/desktops';
import type { DesktopRequest } from '@gatehouse/contract/sessions/desktop-frames';
import { call } from '@gatehouse/contract/wire/client';
import { startXrdp, type TestXrdp } from '@gatehouse/testkit/desktop/xrdp';
import { expect } from 'vitest';
import { pinOf } from '../../src/kinds/desktop/desktop-certificates.ts';
import type { SharedLink } from '../../src/kinds/desktop/engine/desktop-link.ts';
import { makeRole } from '../apps/app-world.ts';
import { type IdentityGateway, startIdentityGateway } from '../identity-gateway.ts';
import type { TestBrowser } from '../test-browser.ts';
import { DesktopPage, desktopOpening } from './desktop-page.ts';
import { WasmPage } from './wasm-page.ts';

export interface DesktopWorld {
  gateway: IdentityGateway;
  admin: TestBrowser;
  xrdp: TestXrdp;
  origin: string;
  dataDir: string;
  /** A page on it, as far as its client draws; `at` another gateway that leads there. */
  open(who: TestBrowser, request?: DesktopRequest, at?: string): Promise<OpenPage>;
  close(): Promise<void>;
}

export interface OpenPage {
  page: DesktopPage;
  client: WasmPage;
}

const CLUSTER = { clusterId: 'localhost' };

export async function startDesktopWorld(): Promise<DesktopWorld> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-desktops-'));
  const [gateway, xrdp] = await Promise.all([startIdentityGateway({ dataDir }), startXrdp()]);
  await gateway.addUser('admin', { roles: ['editor', 'access', 'auditor'] });
  const admin = await gateway.signedIn('admin');
  const certificate = new X509Certificate(xrdp.certificate).raw;
  await call(admin.send, desktopRoutes.add, {
    params: CLUSTER,
    body: { name: 'desk', addr: xrdp.addr, labels: { env: 'dev' }, certificate: { pin: pinOf(certificate) } },
  });
  await call(admin.send, desktopRoutes.setPassword, {
    params: { ...CLUSTER, name: 'desk', login: xrdp.user },
    body: { password: xrdp.password },
  });
  await makeRole(admin, 'dev', `{allow: {windows_desktop_labels: {env: dev}, windows_desktop_logins: [${xrdp.user}]}}`);
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  const origin = `http://127.0.0.1:${(gateway.app.server.address() as AddressInfo).port}`;
  const clients: WasmPage[] = [];
  return {
    ...{ gateway, admin, xrdp, origin, dataDir },
    async open(who, request = desktopOpening('desk', xrdp.user), at = origin) {
      const page = new DesktopPage(at, who, request);
      const client = await WasmPage.load();
      clients.push(client);
      const { width, height } = await page.until('segment');
      // A client listens once it has said its first word.
      let early: Buffer[] | undefined = page.pictures.splice(0);
      const link = {
        onPicture(listener: (pdu: Buffer) => void) {
          page.onPicture = (pdu) => (early ? early.push(pdu) : listener(pdu));
        },
        fromPage(bytes: Buffer) {
          page.say(bytes);
          const waiting = early ?? [];
          early = undefined;
          for (const pdu of waiting) page.onPicture(pdu);
        },
      };
      client.open(link as unknown as SharedLink, certificate, { width, height });
      await expect.poll(() => client.ended ?? client.isConnected, { timeout: 30_000 }).toBe(true);
      return { page, client };
    },
    async close() {
      for (const client of clients) await client.close();
      await gateway.close();
      await xrdp.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
