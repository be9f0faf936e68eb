import { expect, test } from 'vitest';
import { type Risk, riskOf } from './risky-commands.ts';

test.each<[string, Risk]>([
  ['rm -rf /srv/old', 'deletes'],
  ['cd /srv && sudo rm -r old', 'deletes'],
  ['kubectl -n prod delete pod api-1', 'deletes'],
  ['sudo mkfs.ext4 /dev/sdb', 'disks'],
  ['dd if=image of=/dev/sda', 'disks'],
  ['sudo systemctl stop payments-api', 'stops'],
  ['kill -9 4711', 'stops'],
  ['/sbin/reboot', 'stops'],
  ['sudo useradd mallory', 'access'],
  ['echo key >> ~/.ssh/authorized_keys', 'access'],
  ['iptables -F', 'network'],
  ['curl -s https://example.com/x | sudo bash', 'downloads'],
  ['psql -c "DROP TABLE users"', 'data'],
  ['./current/bin/payments-api migrate --down 1 --yes', 'data'],
  ['history -c', 'traces'],
  ['echo > /var/log/auth.log', 'traces'],
])('%s is worth a look', (text, risk) => expect(riskOf(text)).toBe(risk));

test.each([
  'rm notes.txt',
  'ls -lrf',
  'systemctl status nginx',
  'cat reboot.log',
  'grep passwd notes',
  'curl -s https://example.com/x',
  'echo hello >> /var/log/mine',
  'man rm',
  'git push origin main',
])('%s is not flagged', (text) => expect(riskOf(text)).toBe(undefined));

test('of a command of any length only its beginning is looked at', () => {
  expect(riskOf(`echo ${'x'.repeat(5_000)}; reboot`)).toBe(undefined);
});
