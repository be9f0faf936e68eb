/** What stands around the gateway in apps.bench.ts: an application, nginx as the proxy to compare with, and the tools that ask. */
import { type ChildProcess, execFile, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@gatehouse/testkit/free-port';
import { makeCertificate } from '@gatehouse/tunnel/testing/certificate';
import { WebSocketServer } from 'ws';
import { untilOpen } from './bench-world.ts';

const run = promisify(execFile);
const NGINX = '/usr/sbin/nginx';
export const BIG_BYTES = 1024 * 1024 * 1024;
const TEXT = 'hello from an application that answers with a line or two of text, as small ones do\n';

export interface BenchWorld {
  /** Straight to the application. */
  direct: string;
  /** Through nginx. */
  nginx: string;
  gateway: { port: number; cookies: Record<string, string>; child: ChildProcess };
  close(): Promise<void>;
}

/** By the Debian packages that have them. */
export const PROGRAMS = { 'nginx-light': NGINX, wrk: '/usr/bin/wrk', curl: '/usr/bin/curl' };

export async function startWorld(folder: string): Promise<BenchWorld> {
  const certificate = await makeCertificate(['localhost', '127.0.0.1', '*.localhost']);
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  writeFileSync(cert, certificate.cert);
  writeFileSync(key, certificate.key, { mode: 0o600 });
  mkdirSync(join(folder, 'www'));
  writeFileSync(join(folder, 'www', 'big'), '');
  truncateSync(join(folder, 'www', 'big'), BIG_BYTES);
  const [webPort, proxyPort] = [await freePort(), await freePort()];
  const web = await startNginx(folder, 'web', webServer(folder, webPort), webPort);
  const proxy = await startNginx(folder, 'proxy', proxyServer(webPort, proxyPort, { cert, key }), proxyPort);
  const sockets = await echoServer();
  const child = fork(join(import.meta.dirname, 'apps-gateway.ts'), {
    execArgv: ['--expose-gc'],
    env: {
      ...process.env,
      BENCH_DATA: join(folder, 'data'),
      BENCH_CERT: cert,
      BENCH_KEY: key,
      BENCH_WEB: `http://127.0.0.1:${webPort}`,
      BENCH_SOCKETS: `http://127.0.0.1:${sockets.port}`,
    },
  });
  const [{ port, cookies }] = (await once(child, 'message')) as [{ port: number; cookies: Record<string, string> }];
  return {
    direct: `http://127.0.0.1:${webPort}`,
    nginx: `https://127.0.0.1:${proxyPort}`,
    gateway: { port, cookies, child },
    async close() {
      child.send('stop');
      await once(child, 'exit');
      web.kill();
      proxy.kill();
      sockets.close();
    },
  };
}

/** Requests a second over so many connections that stay open. */
export async function loadWith(url: string, headers: Record<string, string>, seconds: number): Promise<number> {
  const given = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const { stdout } = await run('wrk', ['-t1', '-c32', `-d${seconds}`, ...given, url]);
  const wrong = /Non-2xx or 3xx responses: (\d+)/.exec(stdout);
  if (wrong) throw new Error(`${wrong[1]} requests to ${url} were not answered well`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
}

/** Bytes a second. */
export async function download(url: string, headers: Record<string, string>): Promise<number> {
  const given = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const { stdout } = await run('curl', [
    '-sk',
    '--http1.1',
    '-o',
    '/dev/null',
    '-w',
    '%{size_download} %{speed_download}',
    ...given,
    url,
  ]);
  const [bytes = 0, speed = 0] = stdout.split(' ').map(Number);
  if (bytes !== BIG_BYTES) throw new Error(`only ${bytes} bytes came from ${url}`);
  return speed;
}

async function startNginx(folder: string, name: string, server: string, port: number): Promise<ChildProcess> {
  const temp = join(folder, `${name}-temp`);
  mkdirSync(temp);
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const file = join(folder, `${name}.conf`);
  writeFileSync(
    file,
    `daemon off; ${process.getuid?.() === 0 ? 'user root; ' : ''}worker_processes 1; pid ${join(folder, `${name}.pid`)}; error_log /dev/null;
events { worker_connections 8192; }
http { access_log off; keepalive_requests 100000000; sendfile on; tcp_nopush on;
${kinds.map((kind) => `${kind}_temp_path ${join(temp, kind)};`).join('\n')}
${server} }`,
  );
  const child = spawn(NGINX, ['-c', file], { stdio: 'ignore' });
  await untilOpen(port);
  return child;
}

function webServer(folder: string, port: number): string {
  return `server { listen 127.0.0.1:${port}; root ${join(folder, 'www')};
location = /small { default_type text/plain; return 200 ${JSON.stringify(TEXT)}; } location / { } }`;
}

function proxyServer(webPort: number, port: number, { cert, key }: { cert: string; key: string }): string {
  return `upstream web { server 127.0.0.1:${webPort}; keepalive 64; keepalive_requests 100000000; }
server { listen 127.0.0.1:${port} ssl; ssl_certificate ${cert}; ssl_certificate_key ${key};
location / { proxy_pass http://web; proxy_http_version 1.1; proxy_max_temp_file_size 0; proxy_set_header Connection "";
proxy_set_header Host $host; proxy_set_header X-Forwarded-For $remote_addr; proxy_set_header X-Forwarded-Proto https; } }`;
}

async function echoServer(): Promise<{ port: number; close(): void }> {
  const server = createServer();
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  sockets.on('connection', (socket) =>
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary })),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      for (const socket of sockets.clients) socket.terminate();
      server.close();
    },
  };
}
