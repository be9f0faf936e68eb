import { expect, test } from 'vitest';
import { type AllowRule, isAllowed, parseRule } from './allow-rules.ts';

function rules(...texts: string[]): AllowRule[] {
  return texts.map((text) => {
    const rule = parseRule(text);
    if (typeof rule === 'string') throw new Error(`${text}: ${rule}`);
    return rule;
  });
}

test.each([
  ['10.0.0.0/8:22', { host: '10.1.2.3', address: '10.1.2.3', port: 22 }],
  ['10.0.0.0/8:22', { host: 'db.internal', address: '10.1.2.3', port: 22 }],
  ['127.0.0.1:22', { host: '127.0.0.1', address: '127.0.0.1', port: 22 }],
  ['127.0.0.1:22', { host: 'localhost', address: '::ffff:127.0.0.1', port: 22 }],
  ['[fd00::/8]:5432', { host: 'fd00::1', address: 'fd00::1', port: 5432 }],
  ['[::1]:22', { host: 'localhost', address: '::1', port: 22 }],
  ['db.internal:5432', { host: 'DB.Internal', address: '10.0.0.7', port: 5432 }],
  ['db.internal:5432', { host: 'db.internal.', address: '10.0.0.7', port: 5432 }],
  ['*.internal:8000-9000', { host: 'a.b.internal', address: '10.0.0.7', port: 8500 }],
  ['localhost:3000', { host: 'localhost', address: '127.0.0.1', port: 3000 }],
  ['db.internal:*', { host: 'db.internal', address: '10.0.0.7', port: 1 }],
  ['10.0.0.0/8:22', { host: 'db.internal', address: '::ffff:a01:203', port: 22 }],
  // Whoever writes the very address means it.
  ['169.254.10.1:22', { host: '169.254.10.1', address: '169.254.10.1', port: 22 }],
])('%s allows %j', (rule, dialled) => {
  expect(isAllowed(rules(rule), dialled)).toBe(true);
});

test.each([
  ['nothing at all', [], { host: '10.0.0.1', address: '10.0.0.1', port: 22 }],
  ['another port', ['10.0.0.0/8:22'], { host: '10.0.0.1', address: '10.0.0.1', port: 23 }],
  ['another address', ['10.0.0.0/8:22'], { host: '11.0.0.1', address: '11.0.0.1', port: 22 }],
  ['another name at an address', ['db.internal:22'], { host: 'x.internal', address: '10.0.0.1', port: 22 }],
  ['the end of a name', ['*.internal:22'], { host: 'internal', address: '10.0.0.1', port: 22 }],
  ['a name that only ends alike', ['*.internal:22'], { host: 'evil-internal', address: '10.0.0.1', port: 22 }],
  ['a name that points at this machine', ['db.internal:22'], { host: 'db.internal', address: '127.0.0.1', port: 22 }],
  ['the same, mapped', ['db.internal:22'], { host: 'db.internal', address: '::ffff:127.0.0.1', port: 22 }],
  ['the same, in IPv6', ['db.internal:22'], { host: 'db.internal', address: '::1', port: 22 }],
  ['credentials of the cloud', ['*.internal:80'], { host: 'a.internal', address: '169.254.169.254', port: 80 }],
  ['the same of another cloud', ['*.internal:80'], { host: 'a.internal', address: '100.100.100.200', port: 80 }],
  ['the same of a third', ['*.internal:80'], { host: 'a.internal', address: '168.63.129.16', port: 80 }],
  ['the same in IPv6', ['*.internal:80'], { host: 'a.internal', address: 'fd00:ec2::254', port: 80 }],
  ['the same, mapped', ['*.internal:80'], { host: 'a.internal', address: '::ffff:a9fe:a9fe', port: 80 }],
  ['the same, translated', ['*.internal:80'], { host: 'a.internal', address: '64:ff9b::a9fe:a9fe', port: 80 }],
  ['the same by a range', ['0.0.0.0/0:80'], { host: 'a.internal', address: '169.254.169.254', port: 80 }],
  ['the same by a range in IPv6', ['[::/0]:80'], { host: 'a.internal', address: 'fd00:ec2::254', port: 80 }],
  [
    'the same by a range that holds it mapped',
    ['[::/0]:80'],
    { host: 'a.internal', address: '::ffff:a9fe:a9fe', port: 80 },
  ],
  ['this machine in another notation', ['db.internal:22'], { host: 'db.internal', address: '::ffff:7f00:1', port: 22 }],
  ['an address as a name', ['*.1:22'], { host: '10.0.0.1', address: '10.0.0.1', port: 22 }],
])('%s is not allowed', (_, given, dialled) => {
  expect(isAllowed(rules(...given), dialled)).toBe(false);
});

test.each([
  ['db.internal', /must be HOST:PORT/],
  ['db.internal:0', /no port/],
  ['db.internal:70000', /no port/],
  ['db.internal:9-8', /no port/],
  ['10.0.0.0/33:22', /no address/],
  ['[fd00::/200]:22', /no address/],
  ['[db.internal]:22', /no address/],
  ['fd00::1:22', /must be HOST:PORT/],
  ['*:22', /no name of a host/],
  ['a*.internal:22', /no name of a host/],
  ['-x:22', /no name of a host/],
])('the rule %s is refused', (text, message) => {
  expect(parseRule(text)).toMatch(message);
});
