import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { serveLocalSocket } from '../../doors/local-socket/serve-local-socket.ts';
import { ConfigError, formatProblem } from '../../platform/config/config-error.ts';
import { loadConfig } from '../../platform/config/load-config.ts';
import { StartError } from '../../platform/std/start-error.ts';
import { selfMadeCertificate } from '../../platform/tls/self-made.ts';
import { preflight, requireNone } from './preflight.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-preflight-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

const at = (name: string) => join(folder, name);

async function look(yaml: string) {
  writeFileSync(at('gatehouse.yaml'), `dataDir: data\n${yaml}`);
  const loaded = loadConfig({ flags: { config: at('gatehouse.yaml') }, env: {}, cwd: folder });
  const found = await preflight(loaded);
  const told = found.problems.map((problem) => `${problem.kind} ${formatProblem(problem).replaceAll(folder, '')}`);
  return { ...found, told, warned: found.warnings.map(({ key, message }) => `${key}: ${message}`) };
}

/** A pair of files that belong together. */
async function makePair(name: string, now = Date.now()) {
  const made = await selfMadeCertificate({ dataDir: at(`made-${name}`), names: ['gate.example.com'], now });
  writeFileSync(at(`${name}.crt`), made.cert);
  writeFileSync(at(`${name}.key`), made.key);
}
const LISTEN = 'listen: 127.0.0.1:0\n';
const tls = (cert: string, key: string) => `${LISTEN}tls:\n  cert: ${cert}\n  key: ${key}\n`;

test('nothing is wrong with a good pair, and nothing is made by looking', async () => {
  await makePair('a');

  expect(await look(tls('a.crt', 'a.key'))).toMatchObject({ told: [], warned: [] });
  expect(() => mkdirSync(at('data'))).not.toThrow();
});

test('every file that is missing is named with its line', async () => {
  const { told, problems } = await look(
    `${tls('no.crt', 'no.key')}secrets:\n  keyFile: nowhere/secrets.key\naudit:\n  sinks:\n    - { type: syslog, name: a, address: 'h:1', ca: no.pem }\n    - { type: file, name: b, path: deep/er/x.jsonl }\n`,
  );

  expect(told).toEqual([
    'configuration /gatehouse.yaml:4:9: tls.cert: there is no file /no.crt',
    'configuration /gatehouse.yaml:5:8: tls.key: there is no file /no.key',
    "configuration /gatehouse.yaml:7:12: secrets.keyFile: the folder of the key file '/nowhere/secrets.key' does not exist: '/nowhere'",
    expect.stringMatching(
      /^configuration \/gatehouse\.yaml:10:\d+: audit\.sinks\.0\.ca: there is no file \/data\/no\.pem$/,
    ),
    expect.stringMatching(
      /^configuration \/gatehouse\.yaml:11:\d+: audit\.sinks\.1\.path: the folder of .* does not exist/,
    ),
  ]);
  expect(() => requireNone({ problems })).toThrow(ConfigError);
});

test('the key of another certificate, one that has expired, and what is neither', async () => {
  await makePair('a');
  await makePair('b');
  await makePair('old', Date.now() - 400 * 86_400_000);
  writeFileSync(at('text.pem'), 'hello\n');

  expect((await look(tls('a.crt', 'b.key'))).told).toEqual([
    'configuration /gatehouse.yaml:5:8: tls.key: the key in /b.key does not belong to the certificate in /a.crt',
  ]);
  expect((await look(tls('old.crt', 'old.key'))).told).toEqual([
    expect.stringMatching(
      /^configuration \/gatehouse\.yaml:4:9: tls\.cert: the certificate in \/old\.crt expired on \d{4}/,
    ),
  ]);
  expect((await look(tls('text.pem', 'a.key'))).told).toEqual([
    'configuration /gatehouse.yaml:4:9: tls.cert: /text.pem holds no PEM certificate',
  ]);
  expect((await look(tls('a.crt', 'text.pem'))).told).toEqual([
    'configuration /gatehouse.yaml:5:8: tls.key: /text.pem holds no PEM private key',
  ]);
});

test('a certificate for another name, or near its end, is warned about', async () => {
  await makePair('a', Date.now() - 80 * 86_400_000);

  expect((await look(`${tls('a.crt', 'a.key')}publicAddr: other.example.com\n`)).warned).toEqual([
    expect.stringMatching(/^tls\.cert: the certificate expires on /),
    'tls.cert: the certificate does not name the public address other.example.com',
  ]);
});

test('folders and keys that cannot be used', async () => {
  writeFileSync(at('data'), 'a file');
  expect((await look(LISTEN)).told).toEqual([
    "configuration /gatehouse.yaml:1:10: dataDir: the data folder '/data' is not a folder",
  ]);
  rmSync(at('data'));
  writeFileSync(at('key'), 'too short');
  expect((await look(`${LISTEN}secrets:\n  keyFile: key\n`)).told).toEqual([
    expect.stringContaining("secrets.keyFile: the key file '/key' holds no usable key"),
  ]);
  expect((await look(`${LISTEN}storage:\n  url: postgres://a@h/d?sslrootcert=/no/such.pem\n`)).told).toEqual([
    expect.stringMatching(/storage\.url: .*\/no\/such\.pem/),
  ]);
});

test('an address that is in use is a kind of its own, and none at all where a gateway of the same folder has it', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as AddressInfo;

  const { told, problems } = await look(`listen: 127.0.0.1:${port}\n`);
  expect(told).toEqual([
    expect.stringMatching(/^busy \/gatehouse\.yaml:2:9: listen: 127\.0\.0\.1:\d+ is already in use/),
  ]);
  expect(() => requireNone({ problems })).toThrow(StartError);
  expect(() => requireNone({ problems })).not.toThrow(ConfigError);

  mkdirSync(at('data'), { mode: 0o700 });
  const socket = await serveLocalSocket({ dataDir: at('data'), handler: (_request, response) => response.end('{}') });
  onTestFinished(() => socket.close());
  expect((await look(`listen: 127.0.0.1:${port}\n`)).told).toEqual([]);
});

test('an address that is not of this machine is a mistake of the configuration', async () => {
  expect((await look('listen: 192.0.2.1:4000\nproxy: { behind: true, trusted: [10.0.0.1] }\n')).told).toEqual([
    expect.stringMatching(/^configuration .*listen: 192\.0\.2\.1 is not an address of this machine/),
  ]);
});
