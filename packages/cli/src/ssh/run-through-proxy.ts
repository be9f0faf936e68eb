/** The ssh or scp that is here, led to a server over the port of the gateway: for commands, input that is no terminal, forwards and whatever else it takes. */
import { devNull } from 'node:os';
import { shellQuoted } from '../output/shell-quoted.ts';
import { runProgram } from './run-program.ts';
import type { ReadArgs } from './ssh-args.ts';

export async function runThroughProxy(
  program: 'ssh' | 'scp',
  { gateway, cluster }: { gateway: string; cluster?: string },
  { id, login }: { id: string; login: string },
  args: ReadArgs,
): Promise<void> {
  const where = ['--gateway', gateway, ...(cluster === undefined ? [] : ['--cluster', cluster])];
  const self = [process.execPath, process.argv[1] ?? '', 'proxy', 'ssh', ...where];
  // ssh puts something in for `%` and a letter.
  const command = self.map((word) => shellQuoted(word).replaceAll('%', '%%')).join(' ');
  const settings = {
    ProxyCommand: `${command} -- %h`,
    // The far end is the gateway itself, and its certificate has proved that before the first byte of this.
    ...{ StrictHostKeyChecking: 'no', UserKnownHostsFile: devNull, GlobalKnownHostsFile: devNull, LogLevel: 'ERROR' },
    // Who it is has been said; no key of theirs is shown to anybody.
    ...{ PreferredAuthentications: 'keyboard-interactive', IdentityFile: 'none', IdentityAgent: 'none' },
    ...{ ControlPath: 'none', ProxyJump: 'none', CanonicalizeHostname: 'no' },
    Ciphers: 'aes128-gcm@openssh.com,aes256-gcm@openssh.com',
  };
  await runProgram(program, [
    ...(args.hasConfig ? [] : ['-F', 'none']),
    ...Object.entries(settings).flatMap(([key, value]) => ['-o', `${key}=${value}`]),
    ...args.as(login, id),
  ]);
}
