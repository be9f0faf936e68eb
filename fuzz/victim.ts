/** The real gateway as a process of its own, with people, and a look inside: what it holds in memory, and whether it still answers. */
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { connect as connectPlain, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { call, type Send } from '@gatehouse/contract/wire/client';
import { localSend } from '@gatehouse/gateway/doors/local-socket/local-send';
import { freePort } from '@gatehouse/testkit/free-port';
import { startGateway } from '@gatehouse/testkit/gateway-process';
import { makeCertificate } from '@gatehouse/tunnel/testing/certificate';
import { type Inspector, openInspector } from './inspector.ts';
import { type Person, signIn, type VictimAddress } from './person.ts';

export interface Victim extends VictimAddress {
  diagPort: number;
  /** Of the door of programs of MySQL; 0 without TLS. */
  mysqlPort: number;
  /** Calls as the owner of the gateway. */
  owner: Send;
  ann: Person;
  /** A connection from an address of this machine, with TLS where the gateway speaks it. */
  dial(options?: { from?: string; servername?: string; alpn?: string; allowHalfOpen?: boolean }): Socket;
  /** After a collection: what it holds, and how many descriptors are open. */
  holds(): Promise<{ bytes: number; descriptors: number }>;
  /** What the open descriptors are, the most frequent first: a failure that says only how many cannot be looked for. */
  descriptorKinds(): string;
  residentBytes(): number;
  alive(): boolean;
  stop(): Promise<void>;
}

const SECURE_HOST = 'gate.example';
/** Everything the targets put into the gateway has it, and ann reaches it. */
export const LABELS = { fuzz: 'yes' };
export const LOGIN = 'fuzz';

export async function startVictim({ secure }: { secure: boolean }): Promise<Victim> {
  const host = secure ? SECURE_HOST : 'localhost';
  const certificate = secure ? await makeCertificate([SECURE_HOST, `*.${SECURE_HOST}`]) : undefined;
  const diagPort = await freePort();
  const mysqlPort = secure ? await freePort() : 0;
  const settings: Record<string, string> = {
    GATEHOUSE_LOG_LEVEL: 'fatal',
    GATEHOUSE_DIAG_LISTEN: `127.0.0.1:${diagPort}`,
    GATEHOUSE_SECOND_FACTOR: 'off',
    // When it is told to stop everything is measured, and connections that hostile clients keep are not worth waiting for.
    GATEHOUSE_DRAIN_SECONDS: '0',
    NODE_OPTIONS: '--inspect=127.0.0.1:0',
  };
  if (certificate) {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-fuzz-'));
    writeFileSync(join(folder, 'cert.pem'), certificate.cert);
    writeFileSync(join(folder, 'key.pem'), certificate.key);
    settings.GATEHOUSE_TLS_CERT = join(folder, 'cert.pem');
    settings.GATEHOUSE_TLS_KEY = join(folder, 'key.pem');
    settings.GATEHOUSE_PUBLIC_ADDR = SECURE_HOST;
    settings.GATEHOUSE_DATABASES_MYSQL_LISTEN = `127.0.0.1:${mysqlPort}`;
  }
  const process = await startGateway(settings);
  // Whatever ends the fuzzer, the gateway does not stay behind.
  globalThis.process.once('exit', () => kill(process.pid()));
  const pid = process.pid();
  const port = Number(new URL(process.origin).port);
  const origin = `${secure ? 'https' : 'http'}://${host}:${port}`;
  const owner = localSend(process.dataDir);
  const inspector: Inspector = await openInspector(process.output());
  await call(owner, roleRoutes.create, {
    body: {
      content:
        'kind: role\nversion: v6\nmetadata: {name: fuzz}\nspec: {options: {disconnect_grace: 2s, desktop_clipboard: true}, allow: {logins: [fuzz], node_labels: {fuzz: "yes"}, ' +
        'app_labels: {fuzz: "yes"}, db_labels: {fuzz: "yes"}, db_users: [fuzz], db_names: ["*"], kubernetes_labels: {fuzz: "yes"}, kubernetes_groups: [fuzz], kubernetes_resources: [{kind: pod, namespace: "*", name: "*"}], windows_desktop_labels: {fuzz: "yes"}, windows_desktop_logins: [fuzz], rules: [{resources: [session, node, app_server, db_server, kube_server], verbs: [list, read]}]}}\n',
    },
  });
  const dial: Victim['dial'] = ({
    from = '127.0.0.1',
    servername = host,
    alpn = 'http/1.1',
    allowHalfOpen = false,
  } = {}) =>
    certificate
      ? connectTls({
          socket: connectPlain({ port, host: '127.0.0.1', localAddress: from, allowHalfOpen }),
          ca: certificate.ca,
          servername,
          ALPNProtocols: [alpn],
        })
      : connectPlain({ port, host: '127.0.0.1', localAddress: from, allowHalfOpen });
  const victim = { process, port, diagPort, mysqlPort, host, origin, ca: certificate?.ca, owner, dial };
  return {
    ...victim,
    ann: await signIn(victim, 'ann', 'fuzz'),
    async holds() {
      const bytes = await inspector.heldBytes();
      return { bytes, descriptors: readdirSync(`/proc/${pid}/fd`).length };
    },
    descriptorKinds: () => kindsOfDescriptors(pid),
    residentBytes: () => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024,
    alive: () => isAlive(pid),
    async stop() {
      inspector.close();
      await process.stop();
    },
  };
}

function kindsOfDescriptors(pid: number): string {
  const folder = `/proc/${pid}/fd`;
  const counts = new Map<string, number>();
  for (const descriptor of readdirSync(folder)) {
    const kind = kindOf(join(folder, descriptor));
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  const sorted = [...counts].sort(([, a], [, b]) => b - a).slice(0, 12);
  return sorted.map(([kind, count]) => `${count} × ${kind}`).join(', ');
}

/** Where it leads, without what is different in each: numbers of sockets, names of recordings. */
function kindOf(descriptor: string): string {
  try {
    return readlinkSync(descriptor)
      .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '…')
      .replace(/\d+/g, 'N');
  } catch {
    return 'closed meanwhile';
  }
}

function kill(pid: number): void {
  try {
    globalThis.process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended before.
  }
}

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
