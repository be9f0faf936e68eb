/** Desktops found in a real Active Directory. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  startActiveDirectory,
  type TestActiveDirectory,
  whyNoActiveDirectory,
} from '@gatehouse/testkit/desktop/active-directory';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAgentLog } from '../../runtime/log.ts';
import { directoryConfig } from './directory-config.ts';
import { discoverDesktops } from './discover-desktops.ts';

const isHere = whyNoActiveDirectory() === undefined;
let directory: TestActiveDirectory;
let folder: string;

beforeAll(async () => {
  if (!isHere) return;
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-active-directory-'));
  const os = { operatingSystem: 'Windows Server 2022 Standard', operatingSystemVersion: '10.0 (20348)' };
  directory = await startActiveDirectory({
    'desk-1': { dNSHostName: 'DESK-1.corp.test', userAccountControl: '4096', description: 'front', ...os },
    'off-1': { dNSHostName: 'off-1.corp.test', userAccountControl: '4098', ...os },
    // As it is before it has joined.
    nameless: { userAccountControl: '4096' },
  });
  writeFileSync(join(folder, 'password'), `${directory.password}\n`);
  writeFileSync(join(folder, 'wrong'), 'Wr0ng-secret');
  writeFileSync(join(folder, 'ca.pem'), directory.ca);
});
afterAll(async () => {
  await directory?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

async function find(more: Record<string, unknown> = {}) {
  const said: string[] = [];
  const written = {
    ...{ url: directory.tlsUrl, bindDn: directory.bindDn, passwordFile: join(folder, 'password') },
    ...{ baseDn: directory.baseDn, ca: join(folder, 'ca.pem'), ...more },
  };
  const discovery = discoverDesktops({
    ...{ directory: directoryConfig.parse(written), isTaken: () => false, onChange: () => {} },
    log: createAgentLog({ format: 'json', write: (line) => void said.push(line) }),
  });
  await discovery.look();
  discovery.stop();
  return { found: discovery.found(), said: said.join('') };
}

const desk = {
  name: 'desk-1.corp.test',
  labels: {
    ...{ 'ad/os': 'Windows Server 2022 Standard', 'ad/os-version': '10.0 (20348)', 'ad/ou': 'Servers/Web' },
    ...{ 'ad/domain': 'corp.test', 'ad/controller': 'false', 'ad/DESCRIPTION': 'front' },
  },
};

test.runIf(isHere)(
  'computers of a domain become desktops, by LDAPS and by StartTLS, for an account that may only read',
  async () => {
    for (const url of [directory.tlsUrl, directory.url]) {
      const { found, said } = await find({ url, labelAttributes: ['DESCRIPTION'] });
      expect(said).toBe('');
      expect(found).toMatchObject([
        { name: 'dc-1.corp.test', labels: { 'ad/controller': 'true', 'ad/ou': 'Domain Controllers' } },
        desk,
      ]);
    }
    // As Windows lets an account be named, beside its DN.
    for (const bindDn of ['gatehouse-reader@corp.test', 'CORP\\gatehouse-reader'])
      expect((await find({ bindDn, filter: '(operatingSystem=Windows*)' })).found).toMatchObject([
        { name: 'desk-1.corp.test' },
      ]);
  },
);

test.runIf(isHere)('what a domain refuses is told in words, and no password is', async () => {
  const cases = [
    [{ passwordFile: join(folder, 'wrong') }, 'does not take the account'],
    [{ baseDn: 'OU=None,DC=corp,DC=test' }, 'no such baseDn'],
    [{ ca: undefined }, 'self-signed'],
  ] as const;
  for (const [more, words] of cases) {
    const { found, said } = await find(more);
    expect([found, said]).toEqual([[], expect.stringContaining(words)]);
    expect(said).not.toMatch(/Wr0ng|Reader-Secret/);
  }
});
