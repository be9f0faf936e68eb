/**
 * What enrolling takes: from opening the page to a prompt on a machine that has nothing of ours, by the command that the page prints,
 * into an empty folder; and how soon tests of what is typically wrong name the step. Words: `prompt`, `tests`.
 */
import { execFile } from 'node:child_process';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { joinTokenRoutes } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { diagnosticRoutes } from '@gatehouse/contract/sessions/diagnostics';
import { call } from '@gatehouse/contract/wire/client';
import { localSend } from '@gatehouse/gateway/doors/local-socket/local-send';
import { startSilentPort } from '@gatehouse/gateway/testing/connection-tests/silent-port';
import { PASSWORD, startSecurePostgres } from '@gatehouse/gateway/testing/db/secure-postgres';
import { startSecureRedis } from '@gatehouse/gateway/testing/db/secure-redis';
import { drawWithElements, launchChromium, WIDTHS } from '@gatehouse/testkit/chromium';
import { startXrdp } from '@gatehouse/testkit/desktop/xrdp';
import { freePort } from '@gatehouse/testkit/free-port';
import { cleanEnvironment, type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { startKubeCluster } from '@gatehouse/testkit/kube/kube-cluster';
import { startNginx } from '@gatehouse/testkit/nginx';
import { startPostgres } from '@gatehouse/testkit/postgres';
import { signedInContext } from '@gatehouse/testkit/signed-in-context';
import { startSshd } from '@gatehouse/testkit/sshd';
import type { Page } from 'playwright-core';
import { median, runPhases, verdict } from './bench-frame.ts';

const PROMPT_S = 100;
const OURS_S = 5;
const SHOWN_S = 2;
const WORST_TEST_S = 10;
const MEDIAN_TEST_S = 2;
const LOOK_EVERY_MS = 20;

interface World {
  gateway: GatewayProcess;
  folder: string;
  close(): Promise<void>;
}

const wanted = process.argv.slice(2);
const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name);
const seconds = (from: number, to = performance.now()) => (to - from) / 1000;
const told = (value: number) => `${value.toFixed(1)} s`;

async function start(folder: string): Promise<World> {
  const gateway = await startGateway({ GATEHOUSE_SECOND_FACTOR: 'off' });
  return { gateway, folder, close: () => gateway.stop() };
}

/** Resolves with the moment at which the gateway has let it in. */
async function joinedAt(send: ReturnType<typeof localSend>): Promise<number> {
  for (;;) {
    const [token] = await call(send, joinTokenRoutes.list, {});
    const progress = token && (await call(send, joinTokenRoutes.progress, { params: { id: token.id } }));
    if (progress && progress.joined.length > 0) return performance.now();
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

async function toPrompt({ gateway, folder }: World): Promise<void> {
  if (!isWanted('prompt')) return;
  const machine = join(folder, 'machine');
  const browser = await launchChromium();
  const context = await browser.newContext({ viewport: WIDTHS.desktop });
  await drawWithElements(context);
  await signedInContext(context, gateway, 'person', 'editor,access', { logins: ['root'] });
  const page = await context.newPage();
  const uninstall = join(machine, 'opt/gatehouse-agent/uninstall.sh');
  try {
    const opened = performance.now();
    await page.goto(`${gateway.url}/discover?flow=server&step=describe`);
    await page.getByRole('button', { name: 'Make the command' }).click();
    const printed = await page.getByRole('region', { name: 'Command for the new server' }).textContent();
    const line = /sudo (sh -c "\$\(curl [^\n]*?\)")/.exec(printed ?? '')?.[1];
    if (line === undefined) throw new Error(`no command in: ${printed}`);
    const shown = page
      .getByRole('heading', { name: / has joined$/ })
      .waitFor()
      .then(() => performance.now());
    const joined = joinedAt(localSend(gateway.dataDir));
    const begun = performance.now();
    // Below a folder of its own, where nothing is yet: root elsewhere, as on a fresh machine.
    const run = ['-c', `${line} install-node.sh --root '${machine}' --name fresh`];
    await promisify(execFile)('/bin/sh', run, { env: { ...cleanEnvironment(), HOME: folder } });
    const over = performance.now();
    const seen = await shown;
    await openTerminal(page, over);
    const prompted = performance.now();
    // Cores that others use are not ours to blame.
    console.log(`     load of this machine: ${loadavg()[0]?.toFixed(1)} on ${cpus().length} cores`);
    console.log(`     the command: ${told(seconds(begun, over))}; the page before it: ${told(seconds(opened, begun))}`);
    verdict(
      `opening the page to a prompt ${told(seconds(opened, prompted))} of ${PROMPT_S}`,
      seconds(opened, prompted) <= PROMPT_S,
    );
    verdict(`after the command ended ${told(seconds(over, prompted))} of ${OURS_S}`, seconds(over, prompted) <= OURS_S);
    const late = Math.max(0, seconds(await joined, seen));
    verdict(`a join is shown after ${told(late)} of ${SHOWN_S}`, late <= SHOWN_S);
  } finally {
    await promisify(execFile)('/bin/sh', [uninstall, '--root', machine]).catch(() => undefined);
    await browser.close();
  }
}

/** As quickly as somebody can who reads nothing. */
async function openTerminal(page: Page, over: number): Promise<void> {
  const goOn = () => page.getByRole('button', { name: 'Go on', exact: true }).click();
  await goOn();
  await page.getByRole('heading', { name: /^Logins on / }).waitFor();
  console.log(`     logins shown at ${told(seconds(over))} after the command`);
  await goOn();
  await page.getByLabel('Login', { exact: true }).fill('root');
  await goOn();
  const link = page.getByRole('link', { name: /^Connect to / });
  await link.waitFor();
  console.log(`     last step at ${told(seconds(over))}`);
  const opened = (await link.getAttribute('target')) ? page.context().waitForEvent('page') : Promise.resolve(page);
  await link.click();
  await (await opened).locator('.xterm-rows').filter({ hasText: /[#$]/ }).waitFor();
}

async function failingTests({ gateway }: World): Promise<void> {
  if (!isWanted('tests')) return;
  const send = localSend(gateway.dataDir);
  const [sshd, nginx, secure, plain, redis, cluster, xrdp, silent] = await Promise.all([
    ...([startSshd(), startNginx({ files: { 'index.html': 'hi' } }), startSecurePostgres(), startPostgres()] as const),
    ...([startSecureRedis(), startKubeCluster(), startXrdp(), startSilentPort()] as const),
  ]);
  const web = `127.0.0.1:${nginx.port}`;
  const shop = {
    ...{ protocol: 'postgres', uri: `localhost:${secure.port}`, tls: { ca: secure.ca }, signIn: 'password' },
    ...{ database: secure.database, dbUser: 'by_scram', password: PASSWORD },
  };
  const api = { server: cluster.url, ca: cluster.ca };
  const failures: [name: string, kind: string, spec: Record<string, unknown>][] = [
    ['nothing listens', 'node', { addr: `127.0.0.1:${await freePort()}` }],
    ['a firewall drops it', 'node', { addr: `127.0.0.1:${silent.port}` }],
    ['no such name', 'app', { uri: 'http://nowhere.invalid' }],
    ['another host key', 'node', { addr: sshd.addr, hostFingerprint: `SHA256:${'A'.repeat(43)}` }],
    ['nginx is no sshd', 'node', { addr: web }],
    ['TLS where there is none', 'app', { uri: `https://${web}` }],
    ['sshd is no web server', 'app', { uri: `http://${sshd.addr}` }],
    ['a certificate of nobody', 'kube_cluster', { server: cluster.url }],
    ['PostgreSQL without TLS', 'db', { protocol: 'postgres', uri: `127.0.0.1:${plain.port}` }],
    ['a wrong password', 'db', { ...shop, password: 'wrong' }],
    ['no such database', 'db', { ...shop, database: 'nothing' }],
    ['MySQL where PostgreSQL is', 'db', { ...shop, protocol: 'mysql', database: '' }],
    [
      'a wrong password of Redis',
      'db',
      {
        ...{ protocol: 'redis', uri: `127.0.0.1:${redis.port}`, tls: { ca: redis.ca }, signIn: 'password' },
        ...{ dbUser: 'app', password: 'wrong' },
      },
    ],
    ['a token nobody knows', 'kube_cluster', { ...api, credential: { token: 'none' } }],
    ['another certificate', 'windows_desktop', { addr: xrdp.addr, certificate: { pin: `sha256:${'0'.repeat(64)}` } }],
    ['sshd is no desktop', 'windows_desktop', { addr: sshd.addr }],
  ];
  try {
    const took: number[] = [];
    for (const [name, kind, spec] of failures) {
      const begun = performance.now();
      const tried = await call(send, diagnosticRoutes.draft, {
        params: { clusterId: '-current-' },
        body: { kind, spec },
      });
      took.push(seconds(begun));
      const failed = tried.traces?.at(-1);
      console.log(
        `     ${name.padEnd(28)} ${told(took.at(-1) ?? 0).padStart(7)}  ${failed?.gatehouse?.step}: ${failed?.error ?? 'WORKS'}`,
      );
      if (tried.success) verdict(`'${name}' is told to work`, false);
    }
    const worst = Math.max(...took);
    verdict(`the slowest failing test ${told(worst)} of ${WORST_TEST_S}`, worst <= WORST_TEST_S);
    verdict(
      `the median of ${took.length} failing tests ${told(median(took))} of ${MEDIAN_TEST_S}`,
      median(took) < MEDIAN_TEST_S,
    );
  } finally {
    silent.close();
    await Promise.all([sshd, nginx, secure, plain, redis, cluster, xrdp].map((each) => each.stop()));
  }
}

await runPhases('enrol', start, [toPrompt, failingTests]);
