/**
 * Starts programs without the descriptors of this process. The addon that makes terminals leaves their masters open in every
 * later child: one user's shell could read and type into another's. Node offers no way to close them, so a shell does it.
 */
import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { basename } from 'node:path';

const CANDIDATES = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash', '/bin/sh'];
/** Descriptors above 9: some shells take such a number for the name of a program. */
const PROBE = 'exec 42>&-';
/** Without /proc nothing is started: an open terminal of somebody else is worse than none. */
const SCRIPT = `
for fd in /proc/self/fd/*; do
  fd=\${fd##*/}
  case $fd in
    *[!0-9]*) echo '/proc is missing' >&2; exit 126 ;;
    [012]) ;;
    *) eval "exec $fd>&-" ;;
  esac
done
unset fd
exec "$@"
`;

/**
 * bash takes a standard input that is a socket, as ours are, for a remote login and reads the `.bashrc` of its HOME: that of
 * whoever the program is started for, while it still runs as root.
 */
const WITHOUT_FILES = ['--norc', '--noprofile'];

export type WithoutDescriptors = (program: string, args: readonly string[]) => { file: string; args: string[] };

/** Nothing when this machine has no shell that can do it. */
export async function findDescriptorCloser(
  candidates: readonly string[] = CANDIDATES,
): Promise<WithoutDescriptors | undefined> {
  for (const shell of candidates) {
    if (!(await canClose(shell))) continue;
    const flags = flagsOf(shell);
    return (program, args) => ({ file: shell, args: [...flags, '-c', SCRIPT, 'gatehouse', program, ...args] });
  }
  return undefined;
}

/** Called `sh`, no shell reads such a file, and most do not know these flags. */
function flagsOf(shell: string): readonly string[] {
  return basename(shell) === 'bash' ? WITHOUT_FILES : [];
}

function canClose(shell: string): Promise<boolean> {
  try {
    accessSync(shell, constants.X_OK);
  } catch {
    return Promise.resolve(false);
  }
  return new Promise((resolve) => {
    execFile(shell, [...flagsOf(shell), '-c', PROBE], { env: {}, timeout: 5_000 }, (error) => resolve(error === null));
  });
}
