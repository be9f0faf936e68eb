/** What stands around the gateway in desktops.bench.ts: xrdp, a gateway in a process of its own with recording on, and one person. */
import { X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { call } from '@gatehouse/contract/wire/client';
import { localSend } from '@gatehouse/gateway/doors/local-socket/local-send';
import { desktopOpening } from '@gatehouse/gateway/testing/desktop/desktop-page';
import { signInToProcess } from '@gatehouse/gateway/testing/sessions/process-people';
import type { Tab } from '@gatehouse/gateway/testing/sessions/terminal-client';
import { startXrdp, type TestXrdp } from '@gatehouse/testkit/desktop/xrdp';
import { type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { PageScreen, SIZE } from './desktops-screens.ts';
import { WITH_DEBUGGER } from './terminal-memory.ts';

export const DESKTOP = 'desk';
export const ROLES = 'bench,auditor';
/** Hosts of VNC know none. */
export const VNC_LOGIN = 'vnc';

export interface DesktopBenchWorld {
  gateway: GatewayProcess;
  xrdp: TestXrdp;
  tab: Tab;
  folder: string;
  /** A page that has asked for a session. */
  openPage(): Promise<PageScreen>;
  close(): Promise<void>;
}

/** Where anything has its own desktops it adds them. */
export async function addDesktop(
  gateway: GatewayProcess,
  folder: string,
  { name, addr, fingerprint, login, password }: Record<'name' | 'addr' | 'fingerprint' | 'login' | 'password', string>,
): Promise<void> {
  await tell(gateway, 'add', name, addr, '--labels', 'env=bench', '--fingerprint', fingerprint);
  await storePassword(gateway, folder, { name, login, password });
}

export async function storePassword(
  gateway: GatewayProcess,
  folder: string,
  { name, login, password }: Record<'name' | 'login' | 'password', string>,
): Promise<void> {
  const file = join(folder, 'password');
  writeFileSync(file, password, { mode: 0o600 });
  await tell(gateway, 'password', name, login, '--password-file', file);
}

export async function tell(gateway: GatewayProcess, ...words: string[]): Promise<void> {
  const { code, stderr } = await gateway.command('desktops', ...words);
  if (code !== 0) throw new Error(`desktops ${words.join(' ')}: ${stderr}`);
}

export async function startWorld(folder: string): Promise<DesktopBenchWorld> {
  const [gateway, xrdp] = await Promise.all([
    startGateway({
      GATEHOUSE_DATA_DIR: join(folder, 'data'),
      GATEHOUSE_LOG_LEVEL: 'warn',
      GATEHOUSE_SECOND_FACTOR: 'off',
      ...WITH_DEBUGGER,
    }),
    startXrdp(),
  ]);
  const { user: login, password, addr } = xrdp;
  const fingerprint = new X509Certificate(xrdp.certificate).fingerprint256;
  await addDesktop(gateway, folder, { name: DESKTOP, addr, fingerprint, login, password });
  const allow = `{windows_desktop_labels: {'*': '*'}, windows_desktop_logins: [${login}, ${VNC_LOGIN}]}`;
  const content = `kind: role\nversion: v8\nmetadata: {name: bench}\nspec: {allow: ${allow}}\n`;
  await call(localSend(gateway.dataDir), roleRoutes.create, { body: { content } });
  const tab = await signInToProcess(gateway, 'ann', ROLES);
  return {
    ...{ gateway, xrdp, tab, folder },
    async openPage() {
      const page = await PageScreen.load();
      page.open(tab, { ...desktopOpening(DESKTOP, login), ...SIZE } as Parameters<PageScreen['open']>[1]);
      return page;
    },
    async close() {
      await Promise.all([gateway.stop(), xrdp.stop()]);
    },
  };
}
