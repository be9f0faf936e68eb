/** A gateway in memory with people in it, for tests of signing in and of what people may do. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SecondFactor } from '@gatehouse/contract/console/page-config';
import { BEARER_META, CSRF_META } from '@gatehouse/contract/console/page-tags';
import { mfaRoutes } from '@gatehouse/contract/identity/mfa';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { call } from '@gatehouse/contract/wire/client';
import { fromBase32, totpCode } from '../src/identity/credentials/totp.ts';
import { insertUser, setPasswordHash, type Traits, updateUser } from '../src/identity/stores/user-store.ts';
import { publish } from '../src/platform/change-feed/publish.ts';
import type { AwsConfig } from '../src/platform/config/aws-schema.ts';
import type { RecordingConfig } from '../src/platform/config/recording-schema.ts';
import type { GatewayConfig } from '../src/platform/config/resolve.ts';
import type { ShownValue } from '../src/platform/config/show-config.ts';
import type { Certificate } from '../src/platform/tls/certificate.ts';
import { type CountedPasswords, cheapPasswords } from './cheap-passwords.ts';
import { createSoftwareKey, type SoftwareKey } from './software-key.ts';
import {
  originOf,
  type SecureListener,
  type SharedStore,
  startTestGateway,
  type TestGateway,
} from './start-test-gateway.ts';
import { type TestBrowser, testBrowser } from './test-browser.ts';

export const PASSWORD = 'correct horse';
export const PROMPT = { origin: 'http://localhost:3080' };

export interface IdentityGateway extends TestGateway {
  passwords: CountedPasswords;
  browser(options?: { address?: string }): TestBrowser;
  /** Makes a user with the password above. */
  addUser(name: string, options?: { roles?: string[]; password?: string | null }): Promise<void>;
  /** As an administrator does it: everybody who follows changes hears of it. */
  setRoles(name: string, roles: readonly string[], traits?: Traits): Promise<void>;
  /** A browser signed in as the user. */
  signedIn(name: string): Promise<TestBrowser>;
  events(): Promise<{ code: string; user: string; data: Record<string, unknown>; sign_in: string }[]>;
}

interface Options {
  secondFactor?: SecondFactor;
  inactivityTimeoutMs?: number;
  /** What else the configuration says. */
  settings?: Pick<GatewayConfig, 'ui' | 'canJoinSessions' | 'ssh'> & Pick<GatewayConfig['auth'], 'connectorName'>;
  /** `localhost` unless told. */
  clusterName?: string;
  proxy?: { behind: boolean; trusted: string[] };
  /** How long calls of headless requests are held. */
  headlessMs?: { holdMs: number; lookMs: number };
  /** How long a root may be away. */
  rootLostMs?: number;
  shared?: SharedStore;
  /** Sessions are recorded into it. */
  dataDir?: string;
  recordings?: RecordingConfig;
  aws?: AwsConfig;
  secure?: SecureListener;
  doorPair?: { cert: string; key: string } | Certificate;
  /** What administrators read of the configuration. */
  shown?: readonly ShownValue[];
}

export async function startIdentityGateway({
  secondFactor = 'off',
  inactivityTimeoutMs = 0,
  settings: { connectorName, ...settings } = {},
  clusterName,
  proxy,
  headlessMs,
  rootLostMs,
  shared,
  dataDir,
  recordings,
  aws,
  secure,
  doorPair,
  shown,
}: Options = {}): Promise<IdentityGateway> {
  const consoleDir = mkdtempSync(join(tmpdir(), 'gatehouse-console-'));
  const metas = `<meta name="${CSRF_META}" content="__CSRF_TOKEN__"><meta name="${BEARER_META}" content="__BEARER_TOKEN__">`;
  writeFileSync(join(consoleDir, 'index.html'), `<!doctype html><head>${metas}</head>`);
  const passwords = cheapPasswords();
  const gateway = await startTestGateway({
    auth: { secondFactor, inactivityTimeoutMs, ...(connectorName ? { connectorName } : {}) },
    ...settings,
    consoleDir,
    passwords,
    ...(clusterName === undefined ? {} : { clusterName }),
    ...(proxy ? { proxy } : {}),
    ...(headlessMs ? { headlessMs } : {}),
    rootLostMs,
    ...(shared ? { shared } : {}),
    ...(dataDir === undefined ? {} : { dataDir }),
    ...(recordings ? { recordings } : {}),
    ...(aws ? { aws } : {}),
    ...(secure ? { secure } : {}),
    ...(doorPair ? { doorPair } : {}),
    ...(shown ? { shown } : {}),
  });
  const { app, storage, clock } = gateway;
  const { host } = new URL(originOf(secure));

  return {
    ...gateway,
    passwords,
    browser: (options) => testBrowser(app, { ...options, host }),
    async addUser(name, { roles = ['access'], password = PASSWORD } = {}) {
      const hash = password === null ? null : await passwords.hash(password);
      await storage.db.transaction().execute(async (tx) => {
        await insertUser(tx, { name, roles, traits: {}, created: clock.now, createdBy: 'test' });
        await setPasswordHash(tx, name, hash);
      });
    },
    setRoles: (name, roles, traits = {}) =>
      storage.db.transaction().execute(async (tx) => {
        await updateUser(tx, name, { roles, traits });
        await publish(tx, { topic: 'user', id: name });
      }),
    async signedIn(name) {
      const browser = testBrowser(app, { host });
      await browser.signIn(name, PASSWORD);
      return browser;
    },
    async events() {
      const rows = await storage.db.selectFrom('event').selectAll().orderBy('id').execute();
      return rows.map(({ code, user, data, sign_in }) => ({ code, user, sign_in, data: JSON.parse(data) }));
    },
    async close() {
      await gateway.close();
      rmSync(consoleDir, { recursive: true });
    },
  };
}

/** The code an authenticator app would show. */
export function codeOf(secret: string, time: number): string {
  return totpCode(fromBase32(secret) ?? Buffer.alloc(0), Math.floor(time / 30_000));
}

/** Enrols an authenticator app for someone who just signed in; gives its secret. */
export async function enrolApp(gateway: IdentityGateway, browser: TestBrowser, deviceName = 'phone'): Promise<string> {
  const tokenId = await call(browser.send, passwordRoutes.createPrivilegeToken, { body: {} });
  const { totpSecret = '' } = await call(browser.send, mfaRoutes.registerChallenge, {
    params: { tokenId },
    body: { deviceType: 'totp' },
  });
  const secondFactorToken = codeOf(totpSecret, gateway.clock.now);
  await call(browser.send, mfaRoutes.addDevice, { body: { tokenId, deviceName, secondFactorToken } });
  // The code that enrolled it is used up.
  gateway.clock.advance(30_000);
  return totpSecret;
}

/** Enrols a key with a privilege token. */
export async function enrolKey(
  browser: TestBrowser,
  tokenId: string,
  { deviceName = 'key', deviceUsage = 'mfa' as 'mfa' | 'passwordless' } = {},
): Promise<SoftwareKey> {
  const key = createSoftwareKey();
  const challenge = await call(browser.send, mfaRoutes.registerChallenge, {
    params: { tokenId },
    body: { deviceType: 'webauthn', deviceUsage },
  });
  if (!challenge.webauthn) throw new Error('no key was asked for');
  const webauthnRegisterResponse = key.register(challenge.webauthn, PROMPT);
  const body = { tokenId, deviceName, deviceUsage, webauthnRegisterResponse };
  await call(browser.send, mfaRoutes.addDevice, { body });
  return key;
}
