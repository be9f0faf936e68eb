/** The blocks of docs/reverse-proxy.md, as they stand there, with a real nginx, a real gateway and a real agent behind it. */
import { type ChildProcess, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { BEARER_META, CSRF_META } from '@gatehouse/contract/console/page-tags';
import { signInRoutes } from '@gatehouse/contract/identity/sign-in';
import { appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { fileRoutes } from '@gatehouse/contract/kinds/node/files/files';
import { joinTokenRoutes } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { call, type Send } from '@gatehouse/contract/wire/client';
import { pathFor, queryString } from '@gatehouse/contract/wire/route';
import { freePort } from '@gatehouse/testkit/free-port';
import { ended, type GatewayProcess, ROOT, startGateway } from '@gatehouse/testkit/gateway-process';
import { type Nginx, startNginxWith } from '@gatehouse/testkit/nginx';
import { makeOsUsers, type OsUsers } from '@gatehouse/testkit/os-users';
import { makeCertificate, type TestCertificate } from '@gatehouse/tunnel/testing/certificate';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { openApp } from '../../../testing/apps/app-world.ts';
import { startAgentProcess } from '../../../testing/sessions/process-people.ts';
import { connectTerminal, opening } from '../../../testing/sessions/terminal-client.ts';
import { localSend } from '../../doors/local-socket/local-send.ts';

const page = readFileSync(join(ROOT, 'docs', 'reverse-proxy.md'), 'utf8');
const SITE = { clusterId: '-current-' };
const PASSWORD = 'correct horse battery staple';
const APP_HOST = 'wiki.localhost';

let folder: string;
let certificate: TestCertificate;
let gateway: GatewayProcess;
let nginx: Nginx;
let agent: ChildProcess;
let users: OsUsers;
let app: Server;
let owner: Send;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-proxy-'));
  certificate = await makeCertificate(['localhost', '*.localhost']);
  const port = await freePort();
  const listen = await freePort();
  const file = join(folder, 'gatehouse.yaml');
  writeFileSync(file, block('yaml').replace(':3080', `:${listen}`).replace('gate.example.com', `localhost:${port}`));
  gateway = await startGateway({
    GATEHOUSE_CONFIG: file,
    GATEHOUSE_LISTEN: '',
    GATEHOUSE_SECOND_FACTOR: 'off',
    GATEHOUSE_LOG_LEVEL: 'warn',
  });
  gateway.origin = `http://127.0.0.1:${listen}`;
  nginx = await startNginxWith(placed(block('nginx')), port);
  users = await makeOsUsers(1);
  owner = localSend(gateway.dataDir);
  const role = `kind: role\nversion: v6\nmetadata: {name: dev}\nspec: {allow: {logins: ['${login()}'], node_labels: {'*': '*'}, app_labels: {'*': '*'}}}\n`;
  await call(owner, roleRoutes.create, { body: { content: role } });
  await invite('ann');
  app = createServer((asked, answer) => answer.end(`page for ${asked.headers['x-forwarded-for']}`));
  new WebSocketServer({ server: app }).on('connection', (socket) =>
    socket.on('message', (data) => socket.send(`echo ${data}`)),
  );
  app.listen(0, '127.0.0.1');
  await once(app, 'listening');
  const uri = `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
  await call(owner, appRoutes.add, { params: SITE, body: { name: 'wiki', uri, labels: {} } as never });
  const { id: token } = await call(owner, joinTokenRoutes.create, { body: { roles: ['Node'] } });
  const ca = join(folder, 'ca.pem');
  writeFileSync(ca, certificate.ca);
  const data = join(folder, 'agent');
  mkdirSync(data);
  agent = startAgentProcess({ port, ca, folder: data, token, name: 'edge' });
  await vi.waitFor(async () => expect((await gateway.command('nodes', 'ls')).stdout).toContain('edge'), {
    timeout: 60_000,
    interval: 300,
  });
});
afterAll(async () => {
  if (agent) await ended(agent, 'SIGTERM');
  app?.close();
  await nginx?.stop();
  await gateway?.stop();
  await users?.remove();
  rmSync(folder, { recursive: true, force: true });
});

const login = () => users.names[0] as string;

function block(language: string): string {
  const text = new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(page)?.[1];
  if (text === undefined) throw new Error(`the page has no block of ${language}`);
  return text;
}

/** With our port, our names and our certificate; every other word is the page's. */
function placed(text: string) {
  return (own: string, port: number) => {
    writeFileSync(join(own, 'gate.crt'), certificate.cert);
    writeFileSync(join(own, 'gate.key'), certificate.key, { mode: 0o600 });
    return text
      .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
      .replaceAll('gate.example.com', 'localhost')
      .replaceAll('/etc/nginx', own)
      .replace('127.0.0.1:3080', new URL(gateway.origin).host);
  };
}

/** A proxy with the page's block, changed. */
async function changed(change: (text: string) => string): Promise<number> {
  const other = await startNginxWith(placed(change(block('nginx'))));
  onTestFinished(() => other.stop());
  return other.port;
}

const without = (line: RegExp) => (text: string) => {
  if (!line.test(text)) throw new Error(`the page has no line ${line}`);
  return text.replace(line, '');
};

async function invite(name: string): Promise<void> {
  const added = await gateway.command('users', 'add', name, '--roles=dev', '--format', 'json');
  const { inviteUrl } = JSON.parse(added.stdout) as { inviteUrl: string };
  expect(inviteUrl).toContain(`https://localhost:${nginx.port}/`);
  const body = JSON.stringify({ token: inviteUrl.split('/').at(-1), password: btoa(PASSWORD) });
  const browser = await opened();
  const reply = await browser.ask('/v1/webapi/users/password/token', { method: 'PUT', body });
  if (reply.status !== 200) throw new Error(reply.body);
}

interface RequestOptions {
  method?: string;
  body?: string | Buffer;
  headers?: Record<string, string>;
  host?: string;
}

interface Answered {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

interface ProxyBrowser {
  csrf: string;
  bearer: string;
  cookie(): string;
  ask(path: string, asked?: RequestOptions): Promise<Answered>;
  send: Send;
  open(): Promise<void>;
  signIn(headers?: Record<string, string>): Promise<Answered>;
}

/** A browser at an address of this machine, which reaches the gateway by a proxy on that port. */
function browserAt(from: string, port = nginx.port): ProxyBrowser {
  const cookies = new Map<string, string>();
  const browser: ProxyBrowser = {
    csrf: '',
    bearer: '',
    cookie: () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    ask: (path, { method = 'GET', body, headers, host = `localhost:${nginx.port}` } = {}) =>
      new Promise<Answered>((resolve, reject) => {
        const own = {
          host,
          'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
          ...(host.startsWith('localhost') ? { cookie: browser.cookie() } : {}),
          ...(method === 'GET' ? {} : { origin: `https://${host}`, 'x-csrf-token': browser.csrf }),
          ...(browser.bearer ? { authorization: `Bearer ${browser.bearer}` } : {}),
          ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
          ...headers,
        };
        const options = {
          host: '127.0.0.1',
          servername: 'localhost',
          port,
          path,
          method,
          localAddress: from,
          ca: certificate.ca,
          headers: own,
          agent: false as const,
        };
        const sent = request(options, (response) => {
          const pieces: Buffer[] = [];
          for (const line of host.startsWith('localhost') ? (response.headers['set-cookie'] ?? []) : []) {
            const [pair = ''] = line.split(';');
            cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
          }
          response.on('data', (piece: Buffer) => pieces.push(piece));
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: Buffer.concat(pieces).toString('latin1'),
            }),
          );
          response.on('error', reject);
        });
        sent.on('error', reject);
        sent.end(body);
      }),
    send: async ({ method, url, body }) => {
      const reply = await browser.ask(url, { method, ...(body === undefined ? {} : { body }) });
      return { status: reply.status, text: reply.body };
    },
    async open() {
      const { body } = await browser.ask('/web');
      const meta = (name: string) => new RegExp(`name="${name}" content="([^"]*)"`).exec(body)?.[1] ?? '';
      browser.csrf = meta(CSRF_META);
      const bearer = meta(BEARER_META);
      if (bearer) browser.bearer = JSON.parse(Buffer.from(bearer, 'base64').toString()).token;
    },
    async signIn(headers = {}) {
      const reply = await browser.ask(signInRoutes.signIn.path, {
        method: 'POST',
        body: JSON.stringify({ user: 'ann', pass: PASSWORD }),
        headers,
      });
      if (reply.status === 200) await browser.open();
      return reply;
    },
  };
  return browser;
}

async function opened(from = '127.0.0.1', port?: number) {
  const browser = browserAt(from, port);
  await browser.open();
  return browser;
}

async function ann(from = '127.0.0.1', port?: number) {
  const browser = await opened(from, port);
  expect(await browser.signIn()).toMatchObject({ status: 200 });
  return browser;
}

/** Where the audit log says sign-ins came from, newest first. */
async function signedInFrom(): Promise<string[]> {
  const { stdout } = await gateway.command('audit', 'export', '--from', '1h', '--type', 'user.login');
  const lines = stdout.trim().split('\n');
  return lines.map((line) => String(JSON.parse(line)['addr.remote'])).reverse();
}

function upgradeThrough(
  port: number,
  path: string,
  { cookie, host = `localhost:${nginx.port}`, from = '127.0.0.1' }: { cookie: string; host?: string; from?: string },
) {
  const options = {
    localAddress: from,
    ca: certificate.ca,
    servername: 'localhost',
    headers: { host, origin: `https://${host}`, cookie, 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' },
  };
  return new WebSocket(`wss://127.0.0.1:${port}${path}`, options);
}

test('pages and sign-ins pass, with cookies for https, and the audit log has the address of the browser', async () => {
  const browser = await opened('127.0.0.2');
  const reply = await browser.signIn({ 'x-forwarded-for': '8.8.8.8', forwarded: 'for=8.8.8.8' });

  expect(reply.status).toBe(200);
  expect(browser.cookie()).toContain('__Host-');
  expect((await signedInFrom())[0]).toBe('127.0.0.2');
});

test('who is no trusted proxy and comes straight to the gateway is believed nothing', async () => {
  const { port } = new URL(gateway.origin);
  const sent = execFileSync('curl', [
    ...['-s', '--interface', '127.0.0.3', '-H', 'X-Forwarded-For: 9.9.9.9', '-H', 'X-Forwarded-Proto: https'],
    ...['-H', `Host: localhost:${nginx.port}`, '-H', `Origin: https://localhost:${nginx.port}`],
    ...['-H', 'content-type: application/json', '-d', '{"user":"ann","pass":"x"}'],
    `http://127.0.0.1:${port}${signInRoutes.signIn.path}`,
  ]).toString();

  expect(JSON.parse(sent).error).toMatchObject({
    code: 'csrf_failed',
    message: expect.stringContaining('another site'),
  });
});

test('a terminal opens through it, on a server whose agent came through it too', async () => {
  const browser = await ann();
  const tab = {
    url: `wss://localhost:${nginx.port}/v1/webapi/sites/-current-/terminal`,
    headers: { origin: `https://localhost:${nginx.port}`, cookie: browser.cookie() },
    token: browser.bearer,
    ca: certificate.ca,
  };
  const terminal = connectTerminal(tab, opening('edge', login()));
  await terminal.state;
  terminal.type('echo "through $((40 + 2))"\n');

  await terminal.until(/through 42/, 30_000);
  terminal.cut();
});

test('an application opens on its own host, hears where the browser is, and its websocket passes', async () => {
  const from = '127.0.0.2';
  const host = `${APP_HOST}:${nginx.port}`;
  const visit = ({ path = '/', headers = {} }: { path?: string; headers?: Record<string, string> }) =>
    browserAt(from).ask(path, { host, headers: { accept: 'text/html', ...headers } });
  const cookie = await openApp({ port: nginx.port }, await ann(from), APP_HOST, '/', visit);

  expect((await visit({ headers: { cookie, 'x-forwarded-for': '8.8.8.8' } })).body).toBe(`page for ${from}`);
  const socket = upgradeThrough(nginx.port, '/', { cookie, host, from });
  await once(socket, 'open');
  socket.send('hello');
  expect(String((await once(socket, 'message'))[0])).toBe('echo hello');
  socket.terminate();
});

/** Opens the files of the server, and gives what uploads one. */
async function filesOf(browser: ProxyBrowser) {
  const { id, home } = await call(browser.send, fileRoutes.open, {
    params: SITE,
    body: { server: 'edge', login: login() },
  });
  const params = { ...SITE, fileSession: id };
  return (name: string, size: number) => {
    const query = { folder: home, name, upload: randomBytes(8).toString('hex') };
    return {
      path: `${home}/${name}`,
      url: pathFor(fileRoutes.write.path, params) + queryString({ ...query, offset: 0, size }),
      arrived: async () => (await call(browser.send, fileRoutes.progress, { params, query })).offset,
    };
  };
}

test('a large file is uploaded while it is sent, and not before all of it has come to the proxy', async () => {
  const browser = await ann();
  const bytes = randomBytes(24_000_000);
  const upload = (await filesOf(browser))('large.bin', bytes.length);
  const headers = {
    host: `localhost:${nginx.port}`,
    origin: `https://localhost:${nginx.port}`,
    cookie: browser.cookie(),
    'x-csrf-token': browser.csrf,
    authorization: `Bearer ${browser.bearer}`,
    'content-length': String(bytes.length),
  };
  const options = { host: '127.0.0.1', servername: 'localhost', port: nginx.port, ca: certificate.ca };
  const sent = request({ ...options, path: upload.url, method: 'PUT', headers });
  const answered = once(sent, 'response');
  sent.write(bytes.subarray(0, 12_000_000));
  await expect.poll(upload.arrived, { timeout: 30_000 }).toBe(12_000_000);
  sent.end(bytes.subarray(12_000_000));

  expect((await answered)[0].statusCode).toBe(200);
  expect(readFileSync(upload.path).equals(bytes)).toBe(true);
});

test.each(['Host', 'X-Forwarded-Proto'])('without %s a sign-in counts as one from another site', async (name) => {
  const port = await changed(without(new RegExp(`^ *proxy_set_header ${name} .*$`, 'm')));
  const reply = await (await opened('127.0.0.1', port)).signIn();

  expect(reply.status).toBe(403);
  expect(reply.body).toContain('another site');
});

test('without X-Forwarded-For everybody has the address of the proxy', async () => {
  await ann('127.0.0.4', await changed(without(/^ *proxy_set_header X-Forwarded-For .*$/m)));

  expect((await signedInFrom())[0]).toBe('127.0.0.1');
});

test('without Upgrade, or with a bare proxy_pass, a websocket is told what the proxy must send', async () => {
  const browser = await ann();
  const bare = (text: string) => text.replace(/(proxy_pass .*;\n)[\s\S]*?( {2}\}\n\})/, '$1$2');
  for (const change of [without(/^ *proxy_set_header Upgrade .*$/m), bare]) {
    const socket = upgradeThrough(await changed(change), '/v1/webapi/sites/-current-/terminal', {
      cookie: browser.cookie(),
    });
    const [, reply] = await once(socket, 'unexpected-response');
    let said = '';
    for await (const piece of reply) said += piece;
    expect(reply.statusCode).toBe(400);
    expect(said).toContain('must speak HTTP/1.1 to the gateway and pass the headers Upgrade and Connection on');
  }
});

test('without a word on bodies the proxy refuses uploads above 1 MB', async () => {
  const port = await changed(without(/^ *client_max_body_size .*$/m));
  const browser = await ann('127.0.0.1', port);
  const upload = (await filesOf(browser))('refused.bin', 2_000_000);

  expect((await browser.ask(upload.url, { method: 'PUT', body: randomBytes(2_000_000) })).status).toBe(413);
});
