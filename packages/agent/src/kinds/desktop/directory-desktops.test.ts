import { expect, test } from 'vitest';
import { toDesktop, withoutDoubles } from './directory-desktops.ts';

const TOLD = { labelAttributes: ['Department'], labels: {}, desktopCa: undefined, domain: 'corp.test', port: 3389 };
const found = (dn: string, entry: Record<string, string> = {}) =>
  toDesktop(dn, { dNSHostName: 'a.corp.test', ...entry }, TOLD);

test.each([
  ['CN=a,OU=Web,OU=Servers,DC=corp,DC=test', 'Servers/Web'],
  ['CN=a,CN=Computers,DC=corp,DC=test', undefined],
  // Part of a name, which whoever enters a computer chooses.
  ['CN=a\\,OU=Servers,CN=Computers,DC=corp,DC=test', undefined],
  ['CN=a\\\\\\,OU=Servers,CN=Computers,DC=corp,DC=test', undefined],
  ['CN=a\\2COU=Servers,CN=Computers,DC=corp,DC=test', undefined],
  // A name that ends with a backslash takes nothing from what stands behind it.
  ['CN=a\\\\,OU=Quarantine,OU=Servers,DC=corp,DC=test', 'Servers/Quarantine'],
  ['CN=a,OU=R\\, D,OU=Servers,DC=corp,DC=test', 'Servers/R\\, D'],
])('where a computer lies is said by the directory alone: %s', (dn, unit) => {
  expect(found(dn)?.labels['ad/ou']).toBe(unit);
});

test('computers that share a host name are offered by none of them', () => {
  const real = found('CN=dc-1,OU=Domain Controllers,DC=corp,DC=test', { primaryGroupID: '516' })!;
  const made = found('CN=made,CN=Computers,DC=corp,DC=test', { dNSHostName: 'A.corp.test', primaryGroupID: '515' })!;
  const other = found('CN=b,DC=corp,DC=test', { dNSHostName: 'b.corp.test' })!;
  expect(withoutDoubles([real, other, made])).toEqual({ single: [other], doubled: ['a.corp.test'] });
});
