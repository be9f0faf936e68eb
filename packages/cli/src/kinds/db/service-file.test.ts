import { doorCertificate } from '@gatehouse/contract/kinds/db/db-trust';
import { expect, test } from 'vitest';
import { BrokenSetting, ForeignService, withoutService, withService } from './service-file.ts';

const FOREIGN = '# mine\n[mine]\nhost=db\n\n; and a remark\n[other]\nport=1';

test('a service is put in, replaced and taken out, and what is foreign stays byte by byte', () => {
  const first = withService(FOREIGN, 'shop', { host: 'gate', port: '443' });
  const again = withService(`${first}\n# later\n[last]\nhost=x\n`, 'shop', { host: 'gate', port: '444' });

  expect(first).toContain('[shop]\n# written by gatehouse');
  expect(again.match(/\[shop\]/g)).toHaveLength(1);
  expect(again).toContain('port=444');
  expect(again).not.toContain('port=443');
  expect(withoutService(again, 'shop')).toBe(`${FOREIGN}\n\n# later\n[last]\nhost=x\n`);
  expect(withoutService(first, 'shop')).toBe(`${FOREIGN}\n`);
  expect(withService('', 'shop', { host: 'gate' })).toMatch(/^\[shop\]\n/);
});

test('a service that somebody else wrote is not touched', () => {
  expect(() => withService(FOREIGN, 'mine', { host: 'gate' })).toThrow(ForeignService);
  expect(() => withoutService(FOREIGN, 'mine')).toThrow(ForeignService);
  expect(withoutService(FOREIGN, 'none')).toBe(FOREIGN);
});

test('what a gateway says ends no line: programs run what other settings name', () => {
  for (const user of ['app\n[mysql]\npager=sh -c id', 'app\r[client]', 'app\0', 'app\x85x', 'app\u2028x'])
    expect(() => withService(FOREIGN, 'shop', { host: 'gate', user })).toThrow(BrokenSetting);
  const answer = { certificate: 'c', expires: '2026', dbUser: 'app', dbName: 'shop', serverName: '' };
  expect(doorCertificate.safeParse(answer).success).toBe(true);
  for (const field of ['expires', 'dbUser', 'dbName', 'serverName'])
    expect(doorCertificate.safeParse({ ...answer, [field]: 'a\n[mysql]' }).success).toBe(false);
});

test('bytes of any encoding stay as they were, and ours are UTF-8', () => {
  const foreign = Buffer.concat([Buffer.from('[client]\npassword='), Buffer.of(0xe9, 0xff), Buffer.from('\n')]);
  const written = Buffer.from(withService(foreign.toString('latin1'), 'shop', { user: 'zoë' }), 'latin1');

  expect(written.subarray(0, foreign.length)).toEqual(foreign);
  expect(written.toString('utf8')).toContain('user=zoë\n');
  expect(Buffer.from(withoutService(written.toString('latin1'), 'shop'), 'latin1')).toEqual(foreign);
});
