import { expect, test } from 'vitest';
import { isCopy } from './is-copy.ts';

test.each([
  'scp -t /tmp',
  '/usr/bin/scp -f a',
  'rsync --server -logDtpre.iLsfxC . x',
  'exec rsync --server',
  'LC_ALL=C rsync --server',
  'env A=b /usr/lib/openssh/sftp-server',
  "'scp' -t x",
  '"/usr/bin/rsync" --server',
  'sudo rsync --server',
])('%s copies', (command) => {
  expect(isCopy(command)).toBe(true);
});

test.each(['ls scp', 'echo rsync', 'git-upload-pack a.git', '', 'true', 'scpx', 'make rsync'])(
  '%s does not',
  (command) => {
    expect(isCopy(command)).toBe(false);
  },
);
