/** A real nginx with a folder of its own, for tests that need a web server they did not write. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.ts';

export interface Nginx {
  port: number;
  stop(): Promise<void>;
}

export interface NginxOptions {
  /** Names and contents of what it serves. */
  files: Record<string, string>;
  /** Certificate and key in PEM; plain HTTP without. */
  tls?: { cert: string; key: string };
}

const PROGRAM = '/usr/sbin/nginx';
const START_TIMEOUT_MS = 150_000;

export function startNginx({ files, tls }: NginxOptions): Promise<Nginx> {
  return startNginxWith((folder, port) => {
    mkdirSync(join(folder, 'www'));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, 'www', name), text);
    if (tls) {
      writeFileSync(join(folder, 'cert.pem'), tls.cert);
      writeFileSync(join(folder, 'key.pem'), tls.key, { mode: 0o600 });
    }
    return `default_type text/plain;
server { listen 127.0.0.1:${port}${tls ? ' ssl' : ''}; root ${folder}/www;
${tls ? `ssl_certificate ${folder}/cert.pem; ssl_certificate_key ${folder}/key.pem;` : ''} }`;
  });
}

/** With what stands in its `http` block; it has a folder of its own and is to listen on the port given. */
export async function startNginxWith(
  http: (folder: string, port: number) => string,
  wantedPort?: number,
): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-nginx-'));
  const port = wantedPort ?? (await freePort());
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; ${process.getuid?.() === 0 ? 'user root; ' : ''}worker_processes 1; pid ${folder}/pid; error_log stderr;
events { worker_connections 256; }
http { access_log off; ${temporary.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ')}
${http(folder, port)} }`,
  );
  const child = spawn(PROGRAM, ['-c', join(folder, 'nginx.conf')], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (text) => {
    said += text;
  });
  for (const end = Date.now() + START_TIMEOUT_MS; child.exitCode === null && !(await opens(port)); await sleep(50)) {
    if (Date.now() < end) continue;
    child.kill();
    throw new Error(`nginx does not listen on ${port}: ${said}`);
  }
  if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}: ${said}`);
  return {
    port,
    async stop() {
      child.kill();
      if (child.exitCode === null) await once(child, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function opens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
