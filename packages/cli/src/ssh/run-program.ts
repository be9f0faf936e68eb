/** Runs ssh or scp in place of this command: its input, its output, and how it ends. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { Failure, ProgramEnded } from '../runtime/failure.ts';

/** Throws where it ends with anything but 0: it has said why. */
export async function runProgram(name: string, args: readonly string[]): Promise<void> {
  // The program decides what Ctrl-C means, and is in the same group as this one.
  const ignore = () => {};
  process.on('SIGINT', ignore);
  const child = spawn(name, args, { stdio: 'inherit' });
  const end = (signal: NodeJS.Signals) => child.kill(signal);
  process.on('SIGTERM', end);
  try {
    const status = await new Promise<number>((resolve, reject) => {
      child.once('error', (error: NodeJS.ErrnoException) => reject(error.code === 'ENOENT' ? noProgram(name) : error));
      child.once('close', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
    });
    if (status !== 0) throw new ProgramEnded(status);
  } finally {
    process.off('SIGINT', ignore);
    process.off('SIGTERM', end);
  }
}

function noProgram(name: string): Failure {
  return new Failure('failed', `there is no program '${name}' here: install OpenSSH`);
}
