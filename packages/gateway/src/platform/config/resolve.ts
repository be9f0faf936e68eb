/** The rules between keys: what follows from what, and which combinations must not start. */
import { resolve } from 'node:path';
import type { LOCAL_CONNECTORS, SecondFactor } from '@gatehouse/contract/console/page-config';
import type { Secret } from '../std/secret.ts';
import { isLoopback, type ListenAddress, type PublicAddress, urlHost } from './address.ts';
import type { AuditConfig } from './audit-schema.ts';
import type { AwsConfig } from './aws-schema.ts';
import type { RecordingConfig } from './recording-schema.ts';
import type { LOG_FORMATS, LOG_LEVELS, WrittenConfig } from './schema.ts';

export type TlsConfig = { mode: 'off' } | { mode: 'files'; cert: string; key: string } | { mode: 'self-made' };

export interface GatewayConfig {
  dataDir: string;
  listen: ListenAddress;
  diagListen?: ListenAddress;
  publicAddr?: { host: string; port: number; origin: string };
  clusterName: string;
  storage: { url?: Secret };
  tls: TlsConfig;
  proxy: { behind: boolean; trusted: string[] };
  auth: {
    secondFactor: SecondFactor;
    inactivityTimeoutMs: number;
    connectorName?: (typeof LOCAL_CONNECTORS)[number];
  };
  ui?: { scrollbackLines: number; isDashboard: boolean };
  canJoinSessions?: boolean;
  nodes?: { backgroundChecks: boolean };
  /** A port of 0 in `publicAddr`: the one listened on. */
  ssh?: { listen?: ListenAddress; publicAddr?: ListenAddress };
  databases?: { mysqlListen?: ListenAddress };
  secrets: { keyFile?: string; key?: Secret };
  audit: AuditConfig;
  recordings: RecordingConfig;
  aws: AwsConfig;
  log: { level: (typeof LOG_LEVELS)[number]; format: (typeof LOG_FORMATS)[number] };
  drainSeconds: number;
}

export interface Surroundings {
  /** The folder a relative path of this key starts from: the file's own, or the current one. */
  baseFor(key: string): string;
  defaultDataDir: string;
  defaultLogFormat: GatewayConfig['log']['format'];
}

interface Finding {
  key: string;
  message: string;
}

export interface Resolved {
  config: GatewayConfig;
  problems: Finding[];
  warnings: Finding[];
}

export function resolveConfig(written: WrittenConfig, around: Surroundings): Resolved {
  const problems: Finding[] = [];
  const warnings: Finding[] = [];
  const pathOf = (key: string, value: string) => resolve(around.baseFor(key), value);

  const tls = tlsMode(written, pathOf, problems);
  checkProxy(written, problems, warnings);
  checkListen(written, tls, problems);
  checkDiagListen(written, problems, warnings);
  checkMysqlListen(written, tls, problems);
  checkSshListen(written, problems, warnings);
  const publicAddr = written.publicAddr && publicOrigin(written.publicAddr, written, tls, problems, warnings);
  if (written.secrets.key && written.secrets.keyFile) {
    problems.push({ key: 'secrets.key', message: 'set either secrets.key or secrets.keyFile, not both' });
  }

  const onLoopbackOnly = isLoopback(written.listen.host) && publicAddr === undefined;
  const secondFactor = written.auth.secondFactor ?? (onLoopbackOnly ? 'optional' : 'on');
  checkAuth(written, secondFactor, problems);
  return {
    config: {
      dataDir: written.dataDir === undefined ? around.defaultDataDir : pathOf('dataDir', written.dataDir),
      listen: written.listen,
      diagListen: written.diagListen,
      publicAddr,
      clusterName: written.clusterName.toLowerCase(),
      storage: written.storage,
      tls,
      proxy: written.proxy,
      auth: {
        secondFactor,
        inactivityTimeoutMs: written.auth.inactivityMinutes * 60_000,
        connectorName: written.auth.connectorName,
      },
      ui: written.ui,
      canJoinSessions: written.canJoinSessions,
      nodes: written.nodes,
      ssh: written.ssh,
      databases: written.databases,
      secrets: {
        key: written.secrets.key,
        keyFile: written.secrets.keyFile && pathOf('secrets.keyFile', written.secrets.keyFile),
      },
      audit: written.audit,
      recordings: written.recordings,
      aws: written.aws,
      log: { level: written.log.level, format: written.log.format ?? around.defaultLogFormat },
      drainSeconds: written.drainSeconds,
    },
    problems,
    warnings,
  };
}

function tlsMode(
  { tls }: WrittenConfig,
  pathOf: (key: string, value: string) => string,
  problems: Finding[],
): TlsConfig {
  if (tls.selfMade && (tls.cert || tls.key)) {
    problems.push({ key: 'tls.selfMade', message: 'set either tls.selfMade or tls.cert and tls.key, not both' });
  }
  if (tls.cert && tls.key) {
    return { mode: 'files', cert: pathOf('tls.cert', tls.cert), key: pathOf('tls.key', tls.key) };
  }
  if (tls.cert) problems.push({ key: 'tls.cert', message: 'needs tls.key beside it' });
  if (tls.key) problems.push({ key: 'tls.key', message: 'needs tls.cert beside it' });
  return tls.selfMade ? { mode: 'self-made' } : { mode: 'off' };
}

function checkProxy({ proxy }: WrittenConfig, problems: Finding[], warnings: Finding[]): void {
  if (proxy.behind && proxy.trusted.length === 0) {
    const message = 'needs proxy.trusted, the addresses of the proxy: without them anybody could pose as it';
    problems.push({ key: 'proxy.behind', message });
  }
  if (!proxy.behind && proxy.trusted.length > 0) {
    warnings.push({ key: 'proxy.trusted', message: 'has no effect without proxy.behind: true' });
  }
}

const TAKES_KEYS: readonly SecondFactor[] = ['webauthn', 'on', 'optional'];

function checkAuth({ auth }: WrittenConfig, secondFactor: SecondFactor, problems: Finding[]): void {
  if (auth.connectorName === 'passwordless' && !TAKES_KEYS.includes(secondFactor)) {
    const message = `passwordless needs passkeys, which auth.secondFactor: ${secondFactor} does not take. Choose webauthn, on or optional`;
    problems.push({ key: 'auth.connectorName', message });
  }
  // What is accepted here is what people rely on: a policy that nobody could enforce is not taken.
  if (auth.privateKeyPolicy !== 'none') {
    const message = `${auth.privateKeyPolicy} cannot be enforced: no command line of this gateway proves that its key is in hardware. For browsers, auth.secondFactor: webauthn demands a hardware key or passkey at every sign-in`;
    problems.push({ key: 'auth.privateKeyPolicy', message });
  }
}

function checkListen({ listen, proxy }: WrittenConfig, tls: TlsConfig, problems: Finding[]): void {
  if (isLoopback(listen.host) || tls.mode !== 'off' || proxy.behind) return;
  const message =
    `listening on ${urlHost(listen.host)} sends passwords in the clear. Choose one: ` +
    'tls.cert and tls.key with a certificate, tls.selfMade: true for trying, ' +
    'or proxy.behind: true with proxy.trusted when a proxy in front ends TLS';
  problems.push({ key: 'listen', message });
}

function checkDiagListen({ listen, diagListen }: WrittenConfig, problems: Finding[], warnings: Finding[]): void {
  if (!diagListen) return;
  if (diagListen.port !== 0 && diagListen.port === listen.port && diagListen.host === listen.host) {
    problems.push({
      key: 'diagListen',
      message: 'must differ from listen: diagnostics are never served to the public',
    });
  }
  if (!isLoopback(diagListen.host)) {
    warnings.push({ key: 'diagListen', message: 'serves health and metrics without sign-in beyond this machine' });
  }
}

function checkMysqlListen(
  { listen, diagListen, databases: { mysqlListen } }: WrittenConfig,
  tls: TlsConfig,
  problems: Finding[],
): void {
  if (!mysqlListen) return;
  const key = 'databases.mysqlListen';
  if (tls.mode === 'off')
    problems.push({ key, message: 'needs TLS of its own: tls.cert and tls.key, or tls.selfMade: true for trying' });
  if (isSameAddress(listen, mysqlListen))
    problems.push({ key, message: 'must differ from listen: the server speaks first there' });
  if (diagListen && isSameAddress(diagListen, mysqlListen))
    problems.push({ key, message: 'must differ from diagListen' });
}

function checkSshListen(
  { listen, diagListen, databases: { mysqlListen }, ssh }: WrittenConfig,
  problems: Finding[],
  warnings: Finding[],
): void {
  if (!ssh.listen) {
    if (ssh.publicAddr) warnings.push({ key: 'ssh.publicAddr', message: 'has no effect without ssh.listen' });
    return;
  }
  for (const [other, address] of Object.entries({ listen, diagListen, 'databases.mysqlListen': mysqlListen })) {
    if (address && isSameAddress(address, ssh.listen))
      problems.push({ key: 'ssh.listen', message: `must differ from ${other}` });
  }
}

function isSameAddress(one: ListenAddress, other: ListenAddress): boolean {
  return one.port !== 0 && one.port === other.port && one.host === other.host;
}

function publicOrigin(
  address: PublicAddress,
  { proxy }: WrittenConfig,
  tls: TlsConfig,
  problems: Finding[],
  warnings: Finding[],
): GatewayConfig['publicAddr'] {
  const encrypted = tls.mode !== 'off' || proxy.behind;
  const scheme = address.scheme ?? (encrypted ? 'https' : 'http');
  if (scheme === 'http' && tls.mode !== 'off') {
    problems.push({ key: 'publicAddr', message: 'must be https: this gateway answers with TLS' });
  } else if (scheme === 'https' && !encrypted) {
    const message = 'is https, but nothing here ends TLS: set tls, or proxy.behind: true with proxy.trusted';
    problems.push({ key: 'publicAddr', message });
  } else if (scheme === 'http' && !isLoopback(address.host)) {
    const message = 'is reached without TLS: browsers refuse passkeys and keep no secure cookie there';
    warnings.push({ key: 'publicAddr', message });
  }
  const usualPort = scheme === 'https' ? 443 : 80;
  const port = address.port || usualPort;
  const origin = `${scheme}://${urlHost(address.host)}${port === usualPort ? '' : `:${port}`}`;
  return { host: address.host, port, origin };
}
