/** What OpenSSH's own ssh-keygen signs is understood, and only as what it is. */
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parsePublicKey } from './public-key.ts';
import { signerOf } from './ssh-signature.ts';

const run = promisify(execFile);
const wanted = { namespace: 'enrol@gatehouse', text: 'gatehouse enrol proof 1\nweb-1\n' };
const KEYS = [
  ['ed25519', '256'],
  ['ecdsa', '256'],
  ['ecdsa', '384'],
  ['ecdsa', '521'],
  ['rsa', '2048'],
] as const;

let folder: string;
const fileOf = (type: string, bits: string) => join(folder, `${type}_${bits}`);
const blobOf = (file: string) => parsePublicKey(readFileSync(`${file}.pub`, 'utf8')).blob;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-signature-'));
  await Promise.all(
    KEYS.map(([type, bits]) =>
      run('ssh-keygen', ['-q', '-t', type, '-b', bits, '-N', '', '-C', '', '-f', fileOf(type, bits)]),
    ),
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function sign(file: string, { namespace, text } = wanted, ...more: string[]): Promise<string> {
  const child = spawn('ssh-keygen', ['-Y', 'sign', '-n', namespace, '-f', file, ...more]);
  child.stdin.end(text);
  return new Promise((resolve, reject) => {
    let said = '';
    child.stdout.on('data', (piece: Buffer) => {
      said += piece.toString();
    });
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve(said) : reject(new Error(`ssh-keygen ended with ${code}`))));
  });
}

describe.each(KEYS)('by a key of %s %s', (type, bits) => {
  test.each(['sha256', 'sha512'])('over %s', async (hash) => {
    const file = fileOf(type, bits);

    expect(signerOf(await sign(file, wanted, '-O', `hashalg=${hash}`), wanted)).toEqual(blobOf(file));
  });

  test('for another purpose or over another text it is nobody', async () => {
    const file = fileOf(type, bits);

    expect(signerOf(await sign(file, { ...wanted, namespace: 'git' }), wanted)).toBeUndefined();
    expect(signerOf(await sign(file, { ...wanted, text: 'else' }), wanted)).toBeUndefined();
  });
});

test('signatures of the widest curve are right, however short their numbers are', async () => {
  const file = fileOf('ecdsa', '521');
  for (let round = 0; round < 8; round++) {
    const said = { ...wanted, text: `round ${round}\n` };
    expect(signerOf(await sign(file, said), said), said.text).toEqual(blobOf(file));
  }
});

test('a certified key signs for nobody under its certificate', async () => {
  const [authority, file] = [fileOf('ed25519', '256'), fileOf('ecdsa', '256')];
  await run('ssh-keygen', ['-q', '-s', authority, '-I', 'host', '-h', '-n', 'web-1', `${file}.pub`]);

  const plain = await sign(file);
  const certified = await sign(`${file}-cert.pub`).catch(() => '');

  expect(signerOf(plain, wanted)).toEqual(blobOf(file));
  expect(signerOf(certified, wanted)).toBeUndefined();
});
