import { expect, test } from 'vitest';
import { ForeignService, withoutService, withService } from './service-file.ts';

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
