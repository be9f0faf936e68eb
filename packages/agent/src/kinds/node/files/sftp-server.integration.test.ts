/** OpenSSH's own client against the program, in a folder made for each test. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ownUser } from '../login/find-user.ts';

const PROGRAM = join(import.meta.dirname, 'sftp-server.ts');
const SERVER = `${process.execPath} ${PROGRAM}`;
const LARGE_BYTES = 20_000_000;
let here: string;
let there: string;

beforeEach(() => {
  here = mkdtempSync(join(tmpdir(), 'gatehouse-sftp-'));
  there = join(here, 'there');
  mkdirSync(there);
});
afterEach(() => rmSync(here, { recursive: true, force: true }));

interface Run {
  code: number | null;
  text: string;
}

/** Lines as typed at the prompt. The first that fails ends it. */
function sftp(...lines: string[]): Run {
  const batch = join(here, 'batch');
  // One byte for each character: names need not be UTF-8.
  writeFileSync(batch, Buffer.from(`${lines.join('\n')}\n`, 'latin1'));
  const { status, stdout, stderr } = spawnSync('sftp', ['-D', SERVER, '-b', batch], {
    cwd: here,
    env: { PATH: process.env.PATH, HOME: there, LC_ALL: 'C' },
    timeout: 60_000,
  });
  return { code: status, text: `${stdout.toString('latin1')}${stderr.toString('latin1')}` };
}

function hashOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

test('the home is where one begins, and a folder is listed as ls lists it', () => {
  const { name } = ownUser();
  mkdirSync(join(there, 'folder'), { mode: 0o750 });
  writeFileSync(join(there, 'run'), 'x'.repeat(1234), { mode: 0o755 });
  utimesSync(join(there, 'run'), 1_000_000_000, 1_000_000_000);
  linkSync(join(there, 'run'), join(there, 'again'));

  const { code, text } = sftp('pwd', 'ls -la', 'ls -1 folder');

  expect(code).toBe(0);
  expect(text).toContain(`Remote working directory: ${there}\n`);
  expect(text).toMatch(new RegExp(`^drwxr-x--- +2 ${name} +\\S+ +\\d+ \\w{3} [ \\d]\\d \\d\\d:\\d\\d folder$`, 'm'));
  expect(text).toMatch(new RegExp(`^-rwxr-xr-x +2 ${name} +\\S+ +1234 Sep [ \\d]\\d +2001 run$`, 'm'));
  expect(text).toMatch(/ \.$/m);
  expect(text).toMatch(/ \.\.$/m);
});

test('a folder with thousands of files is listed whole', () => {
  for (let index = 0; index < 2_000; index++) writeFileSync(join(there, `file-${index}`), '');

  const { text } = sftp('ls -1');

  expect(text.split('\n').filter((line) => line.startsWith('file-'))).toHaveLength(2_000);
});

test('20 MB go up and come down unchanged', () => {
  writeFileSync(join(here, 'large'), randomBytes(LARGE_BYTES));

  const { code } = sftp('put large up', 'get up down', 'put -p large kept');

  expect(code).toBe(0);
  expect(hashOf(join(there, 'up'))).toBe(hashOf(join(here, 'large')));
  expect(hashOf(join(here, 'down'))).toBe(hashOf(join(here, 'large')));
  expect(Math.floor(statSync(join(there, 'kept')).mtimeMs / 1000)).toBe(
    Math.floor(statSync(join(here, 'large')).mtimeMs / 1000),
  );
});

test('small buffers and many requests at once change nothing', () => {
  writeFileSync(join(here, 'large'), randomBytes(3_000_000));
  const batch = join(here, 'small');
  writeFileSync(batch, 'put large up\nget up down\n');

  execFileSync('sftp', ['-D', SERVER, '-B', '1000', '-R', '200', '-b', batch], {
    cwd: here,
    env: { PATH: process.env.PATH, HOME: there },
    stdio: 'ignore',
  });

  expect(hashOf(join(here, 'down'))).toBe(hashOf(join(here, 'large')));
});

test('a download and an upload that stopped half way go on from there', () => {
  writeFileSync(join(here, 'large'), randomBytes(LARGE_BYTES));
  const wanted = hashOf(join(here, 'large'));
  sftp('put large up', 'get up down');
  truncateSync(join(here, 'down'), 7_654_321);
  truncateSync(join(there, 'up'), 1_234_567);

  expect(sftp('reput large up', 'reget up down').code).toBe(0);

  expect([hashOf(join(there, 'up')), hashOf(join(here, 'down'))]).toEqual([wanted, wanted]);
});

test('files are moved, linked, protected and removed', () => {
  writeFileSync(join(there, 'a'), 'a');

  const { code, text } = sftp(
    'mkdir folder',
    'rename a folder/b',
    'chmod 600 folder/b',
    'symlink b folder/soft',
    'ln folder/b folder/hard',
    'put batch folder/c',
    'rm folder/c',
    'df',
  );

  expect({ code, text }).toMatchObject({ code: 0 });
  expect(readdirSync(join(there, 'folder')).sort()).toEqual(['b', 'hard', 'soft']);
  expect(lstatSync(join(there, 'folder/b')).mode & 0o7777).toBe(0o600);
  expect(lstatSync(join(there, 'folder/hard')).nlink).toBe(2);
  expect(readlinkSync(join(there, 'folder/soft'))).toBe('b');
  expect(text).toMatch(/%Capacity|capacity/i);
  expect(sftp('rm folder/*', 'rmdir folder').code).toBe(0);
  expect(existsSync(join(there, 'folder'))).toBe(false);
});

test('names that are not UTF-8 survive', () => {
  const name = 'caf\xe9-\xff\xfe';
  writeFileSync(Buffer.from(join(there, name), 'latin1'), 'first');

  const { code } = sftp(
    `rename ${name} ${name}2`,
    `get ${name}2 got`,
    `put got ${name}3`,
    `symlink ${name}2 link`,
    'ls -la',
  );

  expect(code).toBe(0);
  const names = readdirSync(there, { encoding: 'buffer' }).map((each) => each.toString('latin1'));
  expect(names.sort()).toEqual([`${name}2`, `${name}3`, 'link'].sort());
  expect(readlinkSync(join(there, 'link'), { encoding: 'buffer' }).toString('latin1')).toBe(`${name}2`);
  expect(readFileSync(Buffer.from(join(there, `${name}3`), 'latin1'), 'utf8')).toBe('first');
});

test('whole trees go both ways', () => {
  mkdirSync(join(here, 'tree/deep/deeper'), { recursive: true });
  writeFileSync(join(here, 'tree/deep/deeper/leaf'), 'leaf');
  chmodSync(join(here, 'tree/deep'), 0o750);

  expect(sftp('put -rp tree', 'get -r tree back').code).toBe(0);

  expect(readFileSync(join(here, 'back/deep/deeper/leaf'), 'utf8')).toBe('leaf');
  expect(statSync(join(there, 'tree/deep')).mode & 0o777).toBe(0o750);
});

test.each([
  ['get missing', /"?.*missing"? not found|No such file/],
  ['cd missing', /No such file/],
  ['rm missing', /No such file/],
  ['rmdir full', /Failure/],
  ['mkdir full', /Failure/],
  ['rename missing file', /No such file/],
])('%s fails with words', (line, words) => {
  mkdirSync(join(there, 'full'));
  writeFileSync(join(there, 'full/x'), '');
  writeFileSync(join(there, 'file'), '');

  const { code, text } = sftp(line);

  expect(code).toBe(1);
  expect(text).toMatch(words);
});

test('what is no SFTP ends the program with a reason', async () => {
  const child = spawn(process.execPath, [PROGRAM], { env: { HOME: there } });
  const chunks: Buffer[] = [];
  child.stderr.on('data', (piece: Buffer) => chunks.push(piece));
  child.stdin.on('error', () => {});
  child.stdin.write('GET / HTTP/1.1\r\n');

  // Not its exit: what it said last may still be on its way then.
  const code = await new Promise((resolve) => child.once('close', resolve));

  expect(code).toBe(1);
  expect(Buffer.concat(chunks).toString()).toBe('a packet of 1195725856 bytes is announced; 263168 are taken\n');
});
