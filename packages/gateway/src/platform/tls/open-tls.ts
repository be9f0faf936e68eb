/** The certificate in use, kept current: files that change and certificates that near their end are taken up without a restart. */
import { statSync } from 'node:fs';
import { isIP } from 'node:net';
import type { GatewayConfig } from '../config/resolve.ts';
import type { Log } from '../std/log.ts';
import { StartError } from '../std/start-error.ts';
import { type Certificate, coversHost } from './certificate.ts';
import { readCertificateFiles } from './certificate-files.ts';
import { authorityFile, selfMadeCertificate } from './self-made.ts';

const LOOK_AT_FILES_MS = 5_000;
const LOOK_AT_AGE_MS = 12 * 3_600_000;
const WARN_BEFORE_END_MS = 14 * 86_400_000;

export interface TlsOptions {
  config: Pick<GatewayConfig, 'tls' | 'dataDir' | 'publicAddr' | 'listen'>;
  log: Log;
  now?: () => number;
  lookAtFilesMs?: number;
}

export interface Tls {
  current(): Certificate;
  /** Called with each new certificate; hand it to the server's `setSecureContext`. */
  onChange(listener: (certificate: Certificate) => void): void;
  /** Also on SIGHUP. A certificate that cannot be used is logged and the old one stays. */
  reload(): Promise<void>;
  close(): void;
}

/** Nothing when the gateway speaks plain HTTP. Throws a StartError when the certificate cannot be used. */
export async function openTls({
  config,
  log,
  now = Date.now,
  lookAtFilesMs = LOOK_AT_FILES_MS,
}: TlsOptions): Promise<Tls | undefined> {
  const { tls } = config;
  if (tls.mode === 'off') return undefined;

  async function read(): Promise<Certificate> {
    if (tls.mode === 'files') return readCertificateFiles(tls, now());
    return await selfMadeCertificate({ dataDir: config.dataDir, names: namesOf(config), now: now() });
  }

  const files = tls.mode === 'files' ? [tls.cert, tls.key] : [];
  /** Which files these are. Taken before they are read, so that one changed while we start is seen as changed. */
  const stampOf = () => files.map(stampOfFile).join();
  let stamp = stampOf();
  let current = await read();
  if (tls.mode === 'self-made') {
    const file = authorityFile(config.dataDir);
    log.warn(
      { fingerprint: current.fingerprint, file },
      'for trying only: the certificate is of a self-made authority',
    );
  }
  const listeners: ((certificate: Certificate) => void)[] = [];
  warn(current);

  async function reload(): Promise<void> {
    try {
      const next = await read();
      if (next.cert === current.cert && next.key === current.key) return;
      current = next;
      for (const listener of listeners) listener(next);
      log.info({ notAfter: next.notAfter.toISOString() }, 'certificate reloaded');
    } catch (error) {
      // What is wrong with a file is said in words; a stack is for what nobody expected.
      const why = error instanceof StartError ? { reason: error.message } : { error };
      log.warn(why, 'the new certificate cannot be used, the old one stays');
    }
    warn(current);
  }

  function warn(certificate: Certificate): void {
    const host = config.publicAddr?.host;
    if (certificate.notAfter.getTime() - now() < WARN_BEFORE_END_MS) {
      log.warn({ notAfter: certificate.notAfter.toISOString() }, 'the certificate expires soon');
    }
    if (host && !coversHost(certificate, host)) {
      log.warn({ host, names: certificate.names }, 'the certificate does not name the public address');
    }
  }

  const onSignal = () => void reload();
  process.on('SIGHUP', onSignal);
  // Asked for by time, not by notice: links swapped by Kubernetes or certbot give no notice on the file itself.
  const looking = setInterval(() => {
    const found = stampOf();
    if (found === stamp) return;
    stamp = found;
    onSignal();
  }, lookAtFilesMs).unref();
  const timer = setInterval(onSignal, LOOK_AT_AGE_MS).unref();

  return {
    current: () => current,
    onChange: (listener) => void listeners.push(listener),
    reload,
    close() {
      process.off('SIGHUP', onSignal);
      clearInterval(looking);
      clearInterval(timer);
      listeners.length = 0;
    },
  };
}

/** A file that may not be looked at now is told when it is read, not here. */
function stampOfFile(file: string): string {
  try {
    const { dev, ino, mtimeMs, size } = statSync(file);
    return `${dev}:${ino}:${mtimeMs}:${size}`;
  } catch {
    return 'none';
  }
}

/** The public name first, then every way to call this machine from itself, then the one address listened on; applications stand below the names, and the doors of databases below those. */
function namesOf({ publicAddr, listen }: TlsOptions['config']): string[] {
  const everywhere = listen.host === '0.0.0.0' || listen.host === '::';
  const names = [publicAddr?.host, 'localhost', '127.0.0.1', '::1', everywhere ? undefined : listen.host];
  const known = [...new Set(names.filter((name) => name !== undefined))].filter(
    (name) => isIP(name) !== 0 || !name.includes('_'),
  );
  const above = [publicAddr?.host ?? 'localhost', 'localhost'].filter(
    (name) => known.includes(name) && isIP(name) === 0,
  );
  return [...known, ...new Set(above.flatMap((name) => [`*.${name}`, `*.db.${name}`]))];
}
