/**
 * The program that serves files: SFTP on standard input and output, with the rights of the user it was started as and no
 * others. With `--say-ready` it says on standard error that it runs, so that whoever started it knows it could be.
 */
import { readAccountNames } from './account-names.ts';
import { serveSftp } from './serve-sftp.ts';

try {
  process.chdir(process.env.HOME ?? '/');
} catch {
  // A home that is missing or closed to its owner must not keep them out.
}
if (process.argv.includes('--say-ready')) process.stderr.write('ready\n');

try {
  await serveSftp({ input: process.stdin, output: process.stdout, accounts: readAccountNames() });
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
process.stdin.destroy();
