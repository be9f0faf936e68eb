import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readTar, TAR_END, tarFile } from './tar.mjs';

const FILES = [
  { path: 'top/run', mode: 0o755, data: Buffer.from('#!/bin/sh\n') },
  { path: 'top/empty', mode: 0o644, data: Buffer.alloc(0) },
  { path: 'top/a/block', mode: 0o644, data: Buffer.alloc(512, 'x') },
];

test('what is written is read back, with its mode', () => {
  const archive = Buffer.concat([...FILES.map(tarFile), TAR_END]);

  expect([...readTar(archive)]).toEqual(FILES);
});

test('the system’s tar unpacks an archive of two gzip members', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-tar-'));
  const members = [
    gzipSync(Buffer.concat(FILES.slice(0, 2).map(tarFile))),
    gzipSync(Buffer.concat([...FILES.slice(2).map(tarFile), TAR_END])),
  ];
  writeFileSync(join(folder, 'a.tar.gz'), Buffer.concat(members));

  execFileSync('tar', ['-xzf', 'a.tar.gz'], { cwd: folder });
  const block = readFileSync(join(folder, 'top/a/block'));
  const { mode } = statSync(join(folder, 'top/run'));
  rmSync(folder, { recursive: true });

  expect(block).toEqual(FILES[2]?.data);
  expect(mode & 0o777).toBe(0o755);
});

test('a name that does not fit is refused instead of being cut', () => {
  expect(() => tarFile({ path: 'a'.repeat(101), mode: 0o644, data: Buffer.alloc(0) })).toThrow('too long a name');
});
