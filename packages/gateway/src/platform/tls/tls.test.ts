import { X509Certificate } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { silentLog } from '../std/log.ts';
import { readCertificateFiles } from './certificate-files.ts';
import { openTls, type Tls, type TlsOptions } from './open-tls.ts';
import { authorityFile, selfMadeCertificate } from './self-made.ts';

const DAY_MS = 86_400_000;
const NOW = Date.now();
const NAMES = ['gate.example.com', 'localhost', '127.0.0.1', '::1'];

let dataDir: string;
let opened: Tls | undefined;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-tls-'));
});
afterEach(() => {
  opened?.close();
  opened = undefined;
  rmSync(dataDir, { recursive: true });
});

async function open(tls: TlsOptions['config']['tls'], more: Partial<TlsOptions> = {}): Promise<Tls> {
  const config = { tls, dataDir, listen: { host: '127.0.0.1', port: 0 } };
  opened = await openTls({ config, log: silentLog, ...more });
  if (!opened) throw new Error('TLS is off');
  return opened;
}

/** Makes a certificate in a folder of its own and stores it as the two files an operator would have. */
async function certificateFiles(name: string, now = NOW): Promise<{ cert: string; key: string }> {
  const made = await selfMadeCertificate({ dataDir: mkdtempSync(join(dataDir, 'made-')), names: NAMES, now });
  const files = { cert: join(dataDir, `${name}.crt`), key: join(dataDir, `${name}.key`) };
  writeFileSync(files.cert, made.cert);
  writeFileSync(files.key, made.key);
  return files;
}

/** A handshake that trusts only `ca`; gives the certificate the server showed. */
async function handshake(served: { cert: string; key: string }, ca: string, servername: string): Promise<string> {
  const server = createServer(served).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  try {
    return await new Promise<string>((resolve, reject) => {
      const address = server.address();
      const port = typeof address === 'object' ? address?.port : undefined;
      const socket: TLSSocket = connect({ host: '127.0.0.1', port, ca, servername }, () => {
        resolve(socket.getPeerX509Certificate()?.fingerprint256 ?? '');
        socket.destroy();
      });
      socket.once('error', reject);
    });
  } finally {
    server.close();
  }
}

test.each(['gate.example.com', 'localhost'])(
  'a client that trusts only the self-made authority reaches %s',
  async (name) => {
    const made = await selfMadeCertificate({ dataDir, names: NAMES, now: NOW });
    const authority = readFileSync(authorityFile(dataDir), 'utf8');

    const shown = await handshake(made, authority, name);

    expect(shown).toBe(new X509Certificate(made.cert).fingerprint256);
    expect(made.fingerprint).toBe(new X509Certificate(authority).fingerprint256);
    expect(made.names).toEqual(['gate.example.com', 'localhost', '127.0.0.1', '0:0:0:0:0:0:0:1']);
  },
);

test('a client that trusts another authority, or asks for another name, is refused', async () => {
  const made = await selfMadeCertificate({ dataDir, names: NAMES, now: NOW });
  const otherDir = mkdtempSync(join(dataDir, 'other-'));
  await selfMadeCertificate({ dataDir: otherDir, names: NAMES, now: NOW });

  await expect(handshake(made, readFileSync(authorityFile(otherDir), 'utf8'), 'localhost')).rejects.toThrow();
  await expect(handshake(made, readFileSync(authorityFile(dataDir), 'utf8'), 'evil.example.com')).rejects.toThrow(
    /altnames/,
  );
});

test('the self-made certificate stays across starts and only its owner can read the keys', async () => {
  const first = await selfMadeCertificate({ dataDir, names: NAMES, now: NOW });
  const second = await selfMadeCertificate({ dataDir, names: NAMES, now: NOW + DAY_MS });

  expect(second.cert).toBe(first.cert);
  expect(['ca.pem', 'server.pem'].map((name) => statSync(join(dataDir, 'tls', name)).mode & 0o777)).toEqual([
    0o600, 0o600,
  ]);
  expect(readFileSync(authorityFile(dataDir), 'utf8')).not.toContain('PRIVATE');
  expect(statSync(join(dataDir, 'tls')).mode & 0o777).toBe(0o700);
});

test('the certificate is renewed before its end and for a new name, by the same authority', async () => {
  const first = await selfMadeCertificate({ dataDir, names: NAMES, now: NOW });
  const later = await selfMadeCertificate({ dataDir, names: NAMES, now: NOW + 65 * DAY_MS });
  const renamed = await selfMadeCertificate({ dataDir, names: [...NAMES, 'new.example.com'], now: NOW + 65 * DAY_MS });

  expect(later.cert).not.toBe(first.cert);
  expect(later.notAfter.getTime()).toBeGreaterThan(first.notAfter.getTime());
  expect(renamed.names).toContain('new.example.com');
  expect([later.fingerprint, renamed.fingerprint]).toEqual([first.fingerprint, first.fingerprint]);
});

test('an authority near its own end is replaced', async () => {
  const first = await selfMadeCertificate({ dataDir, names: NAMES, now: NOW });
  const later = await selfMadeCertificate({ dataDir, names: NAMES, now: NOW + 3600 * DAY_MS });

  expect(later.fingerprint).not.toBe(first.fingerprint);
});

test('a damaged store of the authority is named, not silently replaced', async () => {
  await selfMadeCertificate({ dataDir, names: NAMES, now: NOW });
  writeFileSync(join(dataDir, 'tls', 'ca.pem'), 'half a file');

  await expect(selfMadeCertificate({ dataDir, names: NAMES, now: NOW })).rejects.toThrow(/ca\.pem is damaged/);
});

test('certificate files are read with their names and their end', async () => {
  const files = await certificateFiles('gate');

  const read = readCertificateFiles(files, NOW);

  expect(read).toMatchObject({ vouchedFor: true, names: expect.arrayContaining(['gate.example.com']) });
  expect(read.notAfter.getTime()).toBeGreaterThan(NOW + 89 * DAY_MS);
});

test('what is wrong with certificate files is said plainly', async () => {
  const files = await certificateFiles('gate');
  const other = await certificateFiles('other');
  const old = await certificateFiles('old', NOW - 100 * DAY_MS);
  const early = await certificateFiles('early', NOW + 10 * DAY_MS);
  const junk = join(dataDir, 'junk.pem');
  writeFileSync(junk, 'junk');
  const read = (given: { cert: string; key: string }) => () => readCertificateFiles(given, NOW);

  expect(read({ ...files, cert: join(dataDir, 'absent') })).toThrow(/^tls\.cert: there is no file .*absent/);
  expect(read({ ...files, key: dataDir })).toThrow(/^tls\.key: cannot read/);
  expect(read({ ...files, cert: junk })).toThrow(/junk\.pem \(tls\.cert\) holds no PEM certificate/);
  expect(read({ ...files, key: junk })).toThrow(/junk\.pem \(tls\.key\) holds no PEM private key/);
  expect(read({ cert: files.cert, key: other.key })).toThrow(
    /the key in .*other\.key.* does not belong to the certificate in .*gate\.crt/,
  );
  expect(read(old)).toThrow(/the certificate in .*old\.crt .* expired on \d{4}-\d\d-\d\d/);
  expect(read(early)).toThrow(/is not valid before/);
});

test('a certificate that vouches for itself is not taken for a real one', async () => {
  await selfMadeCertificate({ dataDir, names: NAMES, now: NOW });
  const authority = join(dataDir, 'tls', 'ca.pem');

  expect(readCertificateFiles({ cert: authority, key: authority }, NOW).vouchedFor).toBe(false);
});

test('a changed file is taken up without a restart', async () => {
  const files = await certificateFiles('gate');
  const next = await certificateFiles('next');
  const tls = await open({ mode: 'files', ...files }, { lookAtFilesMs: 20 });
  const changed = vi.fn();
  tls.onChange(changed);
  const before = tls.current().fingerprint;

  copyFileSync(next.key, files.key);
  copyFileSync(next.cert, files.cert);

  await vi.waitFor(() => expect(changed).toHaveBeenCalled(), 5000);
  expect(tls.current().fingerprint).not.toBe(before);
  expect(changed.mock.lastCall?.[0]).toBe(tls.current());
});

test('SIGHUP takes up a new certificate; a broken one is logged and the old one stays', async () => {
  const files = await certificateFiles('gate');
  const next = await certificateFiles('next');
  const log = { ...silentLog, warn: vi.fn() };
  const tls = await open({ mode: 'files', ...files }, { log, lookAtFilesMs: 3_600_000 });
  const before = tls.current();

  writeFileSync(files.cert, 'junk');
  process.emit('SIGHUP');
  await vi.waitFor(() => expect(log.warn).toHaveBeenCalled());
  expect(tls.current()).toBe(before);

  copyFileSync(next.key, files.key);
  copyFileSync(next.cert, files.cert);
  process.emit('SIGHUP');
  await vi.waitFor(() => expect(tls.current().fingerprint).not.toBe(before.fingerprint));
});

test('closing leaves no listener for signals behind', async () => {
  const before = process.listenerCount('SIGHUP');
  const tls = await open({ mode: 'self-made' });
  expect(process.listenerCount('SIGHUP')).toBe(before + 1);

  tls.close();

  expect(process.listenerCount('SIGHUP')).toBe(before);
});

test('the self-made certificate covers the public name and the address listened on; its fingerprint is told', async () => {
  const log = { ...silentLog, warn: vi.fn() };
  const config = {
    tls: { mode: 'self-made' } as const,
    dataDir,
    listen: { host: '192.0.2.7', port: 1 },
    publicAddr: { host: 'gate.example.com', port: 443, origin: 'https://gate.example.com' },
  };

  opened = await openTls({ config, log });

  expect(opened?.current().names).toEqual([
    'gate.example.com',
    'localhost',
    '127.0.0.1',
    '0:0:0:0:0:0:0:1',
    '192.0.2.7',
    '*.gate.example.com',
    '*.db.gate.example.com',
    '*.localhost',
    '*.db.localhost',
  ]);
  expect(log.warn).toHaveBeenCalledWith(
    { fingerprint: opened?.current().fingerprint, file: join(dataDir, 'tls', 'ca.crt') },
    'for trying only: the certificate is of a self-made authority',
  );
});

test('a certificate near its end, or for another name, is warned about', async () => {
  const files = await certificateFiles('gate');
  const log = { ...silentLog, warn: vi.fn() };
  const config = {
    tls: { mode: 'files' as const, ...files },
    dataDir,
    listen: { host: '127.0.0.1', port: 1 },
    publicAddr: { host: 'other.example.com', port: 443, origin: 'https://other.example.com' },
  };

  opened = await openTls({ config, log, now: () => NOW + 80 * DAY_MS });

  expect(log.warn.mock.calls.map(([, message]) => message)).toEqual([
    'the certificate expires soon',
    'the certificate does not name the public address',
  ]);
});

test('without TLS there is nothing to keep', async () => {
  const config = { tls: { mode: 'off' } as const, dataDir, listen: { host: '127.0.0.1', port: 1 } };

  expect(await openTls({ config, log: silentLog })).toBeUndefined();
});
