/** A gateway with applications behind it, and a browser that visits them, for tests. */
import { createServer, type IncomingHttpHeaders, type RequestListener, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { call } from '@gatehouse/contract/wire/client';
import { type IdentityGateway, startIdentityGateway } from '../identity-gateway.ts';
import type { TestBrowser } from '../test-browser.ts';

export interface Answered {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface AppWorld {
  gateway: IdentityGateway;
  admin: TestBrowser;
  ann: TestBrowser;
  port: number;
  /** Starts an application; closed with the world. */
  upstream(listener: RequestListener): Promise<number>;
  server(server: Server): Promise<number>;
  add(name: string, uri: string, more?: Record<string, unknown>): Promise<void>;
  close(): Promise<void>;
}

export const AGENT = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0';

export async function startAppWorld(options: Parameters<typeof startIdentityGateway>[0] = {}): Promise<AppWorld> {
  const gateway = await startIdentityGateway(options);
  await gateway.addUser('admin', { roles: ['editor'] });
  const admin = await gateway.signedIn('admin');
  await makeRole(
    admin,
    'dev',
    '{allow: {app_labels: {env: dev}, rules: [{resources: [app_server], verbs: [list, read]}]}}',
  );
  await gateway.addUser('ann', { roles: ['dev'] });
  const ann = await gateway.signedIn('ann');
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  const servers: Server[] = [];
  const world: AppWorld = {
    gateway,
    admin,
    ann,
    port: (gateway.app.server.address() as AddressInfo).port,
    upstream: (listener) => world.server(createServer(listener)),
    async server(server) {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      servers.push(server);
      return (server.address() as AddressInfo).port;
    },
    async add(name, uri, more = {}) {
      const body = { name, uri, labels: { env: 'dev' }, ...more } as never;
      await call(admin.send, appRoutes.add, { params: { clusterId: 'localhost' }, body });
    },
    async close() {
      await gateway.close();
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
  return world;
}

export async function makeRole(admin: TestBrowser, name: string, spec: string, version = 'v6'): Promise<void> {
  const content = `kind: role\nversion: ${version}\nmetadata: {name: ${name}}\nspec: ${spec}\n`;
  await call(admin.send, roleRoutes.create, { body: { content } });
}

export interface AskOptions {
  host: string;
  path?: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  /** The address it comes from. */
  from?: string;
}

export function ask(
  port: number,
  { host, path = '/', method = 'GET', headers = {}, body, from = '127.0.0.1' }: AskOptions,
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        port,
        host: '127.0.0.1',
        localAddress: from,
        path,
        method,
        headers: { host: `${host}:3080`, 'user-agent': AGENT, accept: 'text/html', ...headers },
        agent: false,
      },
      (response) => {
        let text = '';
        response.setEncoding('latin1');
        response.on('data', (piece: string) => {
          text += piece;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
        response.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Opens an application as a browser does: sent to sign in, launched by the console, and back with both cookies. */
export async function openApp(
  world: Pick<AppWorld, 'port'>,
  person: Pick<TestBrowser, 'send'>,
  host: string,
  path = '/',
  visit = (options: AskOptions) => ask(world.port, options),
): Promise<string> {
  const first = await visit({ host, path });
  const state = cookieText(first);
  const launch = new URL(first.headers.location ?? '');
  const { url } = await call(person.send, appRoutes.launch, {
    body: {
      fqdn: host,
      path: launch.searchParams.get('path') ?? '/',
      state: launch.searchParams.get('state') ?? '',
    } as never,
  });
  const there = new URL(url);
  const second = await visit({ host, path: `${there.pathname}${there.search}`, headers: { cookie: state } });
  if (second.status !== 303) throw new Error(`not launched: ${second.status} ${second.body}`);
  return cookieText(second);
}

/** The cookies an answer sets, as a browser sends them back. */
export function cookieText({ headers }: Answered): string {
  return (headers['set-cookie'] ?? []).map((line) => line.split(';', 1)[0]).join('; ');
}
