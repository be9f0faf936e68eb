/** Whether what a program asks for is what somebody read and approved for it. */
import { headlessCommand, MAX_HEADLESS_COMMAND } from '@gatehouse/contract/identity/headless-command';
import type { WantedProgram } from '../../sessions/commands/running-command.ts';

/** By which ssh asks for files itself. */
const FILES = 'sftp';
const COPY = /^scp /;

/** Nothing is a shell, in which everything can be typed. What copies files says which, and by which of its two ways is its own matter. */
export function isApproved(approved: string, wanted: Pick<WantedProgram, 'type'> & { command?: string }): boolean {
  if (approved === '') return true;
  if (wanted.type === 'files') return approved === FILES || COPY.test(approved);
  if (wanted.type === 'shell' || wanted.command === undefined) return false;
  const line = headlessCommand(wanted.command);
  // Cut: what stands behind it was read by nobody.
  if (line.length >= MAX_HEADLESS_COMMAND) return false;
  return line === approved || (COPY.test(approved) && isPlainScp(line));
}

/** The other end of `scp -O`, and nothing behind it that a shell would run too. */
function isPlainScp(line: string): boolean {
  return /^scp (?:-[a-z]+ )*-[tf] (?:-- )?[^;&|<>`$()\n\\]*$/.test(line);
}
