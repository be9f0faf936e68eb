/** Desktops found in a real directory. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSlapd, type TestSlapd } from '@gatehouse/testkit/desktop/slapd';
import { Client } from 'ldapts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readAgentConfig } from '../../config/agent-config.ts';
import { createAgentLog } from '../../runtime/log.ts';
import { discoverKinds } from '../kinds.ts';
import type { DirectoryConfig } from './directory-config.ts';
import { discoverDesktops } from './discover-desktops.ts';
import { searchDirectory } from './search-directory.ts';

const MANY = 1_200;
const DESK = 'CN=desk-1,OU=Web,OU=Servers';

let folder: string;
let slapd: TestSlapd;
let said: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-directory-'));
  const many = Array.from({ length: MANY }, (_, at) => `many-${at}`);
  slapd = await startSlapd([
    [
      DESK,
      {
        ...{ dNSHostName: 'DESK-1.corp.test', operatingSystem: 'Windows Server 2022 Standard', description: 'front' },
        ...{ operatingSystemVersion: '10.0 (20348)', userAccountControl: '4096', primaryGroupID: '515' },
      },
    ],
    ['CN=dc-1,OU=Domain Controllers', { dNSHostName: 'dc-1.corp.test', primaryGroupID: '516' }],
    ['CN=off-1,OU=Servers', { dNSHostName: 'off-1.corp.test', userAccountControl: '4098' }],
    ['CN=nameless,OU=Servers', { operatingSystem: 'Windows' }],
    ['CN=odd,OU=Servers', { dNSHostName: 'odd name:22@evil' }],
    ['CN=named,OU=Servers', { dNSHostName: 'named.corp.test' }],
    ...many.map((name) => [`CN=${name},OU=Many`, { dNSHostName: `${name}.many.corp.test` }] as const),
  ]);
  writeFileSync(join(folder, 'password'), `${slapd.password}\n`);
  writeFileSync(join(folder, 'ca.pem'), slapd.ca);
});
afterAll(async () => {
  await slapd?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function configOf(more: Record<string, unknown> = {}) {
  const ldap = {
    ...{ url: slapd.tlsUrl, bindDn: slapd.bindDn, passwordFile: join(folder, 'password'), ca: join(folder, 'ca.pem') },
    ...{ baseDn: slapd.baseDn, ...more },
  };
  const file = join(folder, 'agent.yaml');
  const desktops = { static: [{ name: 'named.corp.test', addr: '10.0.0.1:3389' }], ldap };
  writeFileSync(file, JSON.stringify({ gateway: 'https://gate.example.com', desktops }), { mode: 0o600 });
  return readAgentConfig({ config: file }, {}, folder);
}
const directory = (more: Record<string, unknown> = {}): DirectoryConfig => configOf(more).desktops.ldap!;
const log = () => {
  said = '';
  return createAgentLog({
    format: 'json',
    write: (line) => {
      said += line;
    },
  });
};
const inServers = { baseDn: 'OU=Servers,DC=corp,DC=test' };

test.each(['tlsUrl', 'url'] as const)(
  'computers become desktops with labels of the directory, by %s',
  async (which) => {
    const more = { url: slapd[which], labelAttributes: ['description'], labels: { site: 'east' } };
    const discovery = discoverKinds(configOf({ ...more, ...inServers }), { onChange: () => {}, log: log() });
    await discovery.first;
    discovery.stop();
    expect(said).toBe('');
    // Neither what is disabled nor what has no name, or none of a host; and the file's own stays as it is there.
    expect(discovery.offers()).toEqual([
      {
        ...{ kind: 'desktop', id: 'desk-1.corp.test', name: 'desk-1.corp.test' },
        labels: {
          ...{ 'ad/os': 'Windows Server 2022 Standard', 'ad/os-version': '10.0 (20348)', 'ad/ou': 'Servers/Web' },
          ...{ 'ad/domain': 'corp.test', 'ad/controller': 'false', 'ad/description': 'front', site: 'east' },
        },
        spec: {
          ...{ addr: 'desk-1.corp.test:3389', protocol: 'rdp', domain: 'corp.test' },
          ...{ askPassword: true, signIn: 'password' },
        },
      },
    ]);
    expect(discovery.allowRules().map(({ text }) => text)).toEqual(['desk-1.corp.test:3389']);
  },
);

test('all pages are read, up to a limit; controllers are marked; an authority may vouch for all', async () => {
  expect(await searchDirectory(directory(), 5_000)).toMatchObject({ isWhole: true, computers: { length: MANY + 6 } });
  const part = await searchDirectory(directory(), 700);
  expect([part.isWhole, part.computers.length]).toEqual([false, 700]);

  const filter = '(dNSHostName=dc-1.corp.test)';
  const discovery = discoverDesktops({
    directory: directory({ filter, desktopCa: join(folder, 'ca.pem'), port: 3390 }),
    ...{ isTaken: () => false, onChange: () => {}, log: log() },
  });
  await discovery.look();
  discovery.stop();
  expect(discovery.found()).toMatchObject([
    {
      labels: { 'ad/controller': 'true' },
      spec: { addr: 'dc-1.corp.test:3390', certificate: { ca: slapd.ca, name: 'dc-1.corp.test' } },
    },
  ]);
});

test('one that is missing is gone after three rounds, and none is while the directory does not answer', async () => {
  let changes = 0;
  const broken = { is: false };
  const discovery = discoverDesktops({
    ...{ directory: directory(inServers), isTaken: () => false, log: log() },
    onChange: () => void changes++,
    search: (...asked) => (broken.is ? Promise.reject(new Error('it is away')) : searchDirectory(...asked)),
  });
  const names = () => discovery.found().map(({ name }) => name);
  await discovery.look();
  expect([names().sort(), changes]).toEqual([['desk-1.corp.test', 'named.corp.test'], 1]);
  const admin = new Client({ url: slapd.tlsUrl, tlsOptions: { ca: slapd.ca } });
  await admin.bind(slapd.bindDn, slapd.password);
  await admin.del(`${DESK},${slapd.baseDn}`);
  await admin.unbind();
  broken.is = true;
  for (let round = 0; round < 4; round++) await discovery.look();
  expect([names().length, said.split('it is away').length - 1]).toEqual([2, 1]);
  broken.is = false;
  await discovery.look();
  await discovery.look();
  expect([names().length, changes]).toEqual([2, 1]);
  await discovery.look();
  discovery.stop();
  expect([names(), changes]).toEqual([['named.corp.test'], 2]);
});

test('whoever enters a computer under the name of another gives it no labels, and is told', async () => {
  const admin = new Client({ url: slapd.tlsUrl, tlsOptions: { ca: slapd.ca } });
  await admin.bind(slapd.bindDn, slapd.password);
  const made = `CN=made,OU=Servers,${slapd.baseDn}`;
  const discovery = discoverDesktops({
    ...{ directory: directory(inServers), isTaken: () => false, onChange: () => {}, log: log() },
  });
  await discovery.look();
  expect(discovery.found().map(({ name }) => name)).toContain('named.corp.test');
  await admin.add(made, {
    objectClass: 'computer',
    cn: 'made',
    dNSHostName: 'NAMED.corp.test',
    operatingSystem: 'Toy',
  });
  await discovery.look();
  expect(discovery.found().map(({ name }) => name)).not.toContain('named.corp.test');
  expect(said).toContain('several computers have the same host name');
  await admin.del(made);
  await admin.unbind();
  await discovery.look();
  discovery.stop();
  expect(discovery.found().map(({ name }) => name)).toContain('named.corp.test');
});

test('a directory that nobody vouches for, or that takes another password, gives nothing and hears nothing more', async () => {
  writeFileSync(join(folder, 'wrong'), 'Wr0ng-secret');
  const cases = [
    [{ ca: undefined }, /self.signed/],
    [{ url: slapd.url, ca: undefined }, /self.signed/],
    [{ passwordFile: join(folder, 'wrong') }, /does not take the account/],
    [{ baseDn: 'OU=None,DC=corp,DC=test' }, /no such baseDn/],
  ] as const;
  for (const [more, words] of cases) {
    const discovery = discoverDesktops({
      ...{ directory: directory(more), isTaken: () => false, onChange: () => {}, log: log() },
    });
    await discovery.look();
    discovery.stop();
    expect([discovery.found(), said]).toEqual([[], expect.stringMatching(words)]);
    expect(said).not.toMatch(/Wr0ng|reader-Secret/);
  }
});

test.each([
  [{ url: 'http://dc-1.corp.test' }, 'desktops.ldap.url: must look like ldaps://'],
  [{ baseDn: 'OU=Servers' }, 'desktops.ldap.domain: is missing'],
  [{ filter: 'cn=x' }, 'desktops.ldap.filter'],
  [{ ca: '/nowhere/ca.pem' }, 'desktops.ldap.ca'],
  [{ labelAttributes: ['a b'] }, 'desktops.ldap.labelAttributes.0: is no name of an attribute'],
])('what is wrong in the file is named: %j', (more, words) => {
  expect(() => configOf(more)).toThrow(words);
});
