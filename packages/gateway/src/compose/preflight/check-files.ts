/** The files and folders a configuration names: there, readable or writable as needed, and holding what they should. */
import { X509Certificate } from 'node:crypto';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { GatewayConfig } from '../../platform/config/resolve.ts';
import { keyFile, keyValue } from '../../platform/secrets/key-source.ts';
import { silentLog } from '../../platform/std/log.ts';
import { toldError } from '../../platform/std/told-error.ts';
import { checkCertificate, coversHost } from '../../platform/tls/certificate.ts';
import { readPem } from '../../platform/tls/certificate-files.ts';
import type { Finding } from './finding.ts';

const WARN_BEFORE_END_MS = 14 * 86_400_000;
const WRITABLE = constants.R_OK | constants.W_OK | constants.X_OK;

export function checkDataFolder({ dataDir }: GatewayConfig): Finding[] {
  return findIn('dataDir', () => requireWritable(dataDir, 'the data folder'));
}

export function checkTls({ tls, publicAddr }: GatewayConfig, now: number): Finding[] {
  if (tls.mode !== 'files') return [];
  const files = { cert: '', key: '' };
  const unread = [
    ...findIn('tls.cert', () => {
      files.cert = readPem(tls.cert);
      new X509Certificate(orThrow(files.cert, /-----BEGIN CERTIFICATE-----/, `${tls.cert} holds no PEM certificate`));
    }),
    ...findIn('tls.key', () => {
      files.key = readPem(tls.key);
    }),
  ];
  if (unread.length > 0) return unread;
  const isAboutKey = (message: string) => message.startsWith(tls.key) || message.startsWith('the key in');
  try {
    const certificate = checkCertificate({ ...files, certName: tls.cert, keyName: tls.key }, now);
    const warnings: Finding[] = [];
    const end = certificate.notAfter;
    if (end.getTime() - now < WARN_BEFORE_END_MS)
      warnings.push(warning('tls.cert', `the certificate expires on ${end.toISOString().slice(0, 10)}`));
    if (publicAddr && !coversHost(certificate, publicAddr.host))
      warnings.push(warning('tls.cert', `the certificate does not name the public address ${publicAddr.host}`));
    return warnings;
  } catch (error) {
    const message = toldError(error);
    return [{ key: isAboutKey(message) ? 'tls.key' : 'tls.cert', message, kind: 'configuration' }];
  }
}

export function checkKey({ secrets: { key, keyFile: named }, dataDir }: GatewayConfig): Finding[] {
  if (key) return findIn('secrets.key', () => void keyValue(key).load());
  const file = named ?? join(dataDir, 'secrets.key');
  return findIn(named === undefined ? 'dataDir' : 'secrets.keyFile', () => {
    if (existsSync(file)) keyFile(file, silentLog).load();
    // One is made where it is missing; the data folder itself is made as well, another is not.
    else if (named !== undefined) requireFolder(dirname(file), `the folder of the key file '${file}'`);
  });
}

/** Of PostgreSQL, the address may name files: certificates, keys. They are read when it is taken apart. */
export async function checkStorage({ storage: { url } }: GatewayConfig): Promise<Finding[]> {
  if (!url) return [];
  // A gateway on SQLite has no use for its client, and would wait for it at every start.
  const { default: pg } = await import('pg');
  return findIn('storage.url', () => void new pg.Client({ connectionString: url.reveal() }));
}

export function checkAudit({ audit, dataDir }: GatewayConfig): Finding[] {
  return audit.sinks.flatMap((sink, at) => {
    if (sink.type === 'file') {
      const file = resolve(dataDir, sink.path);
      const folder = dirname(file);
      return findIn(`audit.sinks.${at}.path`, () => {
        if (existsSync(file)) accessSync(file, constants.W_OK);
        else if (folder !== resolve(dataDir)) requireFolder(folder, `the folder of '${file}'`);
      });
    }
    const { ca } = sink.type === 'syslog' ? sink : {};
    if (ca === undefined) return [];
    const file = resolve(dataDir, ca);
    return findIn(`audit.sinks.${at}.ca`, () => {
      const text = orThrow(readPem(file), /-----BEGIN CERTIFICATE-----/, `${file} holds no PEM certificate`);
      new X509Certificate(text);
    });
  });
}

/** What it throws is what is wrong. */
function findIn(key: string, check: () => void): Finding[] {
  try {
    check();
    return [];
  } catch (error) {
    return [{ key, message: toldError(error), kind: 'configuration' }];
  }
}

function warning(key: string, message: string): Finding {
  return { key, message, kind: 'warning' };
}

function orThrow(text: string, pattern: RegExp, message: string): string {
  if (pattern.test(text)) return text;
  throw new Error(message);
}

/** There and ours to write in; one that is missing can be made where the nearest above it is. */
function requireWritable(folder: string, what: string): void {
  let nearest = resolve(folder);
  while (!existsSync(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest);
  requireFolder(
    nearest,
    nearest === resolve(folder) ? `${what} '${folder}'` : `'${nearest}', where ${what} would be made,`,
  );
}

function requireFolder(folder: string, what: string): void {
  if (!existsSync(folder)) throw new Error(`${what} does not exist: '${folder}'`);
  if (!statSync(folder).isDirectory()) throw new Error(`${what} is not a folder`);
  try {
    accessSync(folder, WRITABLE);
  } catch (error) {
    throw new Error(`${what} cannot be written: ${toldError(error)}`);
  }
}
