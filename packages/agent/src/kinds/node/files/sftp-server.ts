/**
 * The program that serves files: SFTP on standard input and output, with the rights of one user and no others. That is who
 * started it, or `--as LOGIN UID GID` when root did. With `--say-ready` it says so on standard error once it is that user.
 */
import { homedir } from 'node:os';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { become } from '../login/become.ts';
import { readAccountNames } from './account-names.ts';
import { serveSftp } from './serve-sftp.ts';

try {
  await run(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${errorMessage(error)}\n`);
  process.exitCode = 1;
}
process.stdin.destroy();

async function run(args: readonly string[]): Promise<void> {
  const as = args.indexOf('--as');
  if (as !== -1) {
    const [login = '', uid, gid] = args.slice(as + 1);
    become({ login, uid: Number(uid), gid: Number(gid) });
  }
  goHome();
  if (args.includes('--say-ready')) process.stderr.write('ready\n');
  await serveSftp({ input: process.stdin, output: process.stdout, accounts: readAccountNames() });
}

function goHome(): void {
  try {
    process.chdir(homedir());
  } catch {
    // A home that is missing or closed to its owner must not keep them out.
  }
}
