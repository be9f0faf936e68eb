/** One run of a command tree, from arguments to exit code. */
import { Command, CommanderError } from 'commander';
import type { Format, Io } from '../command.ts';
import { exitCode, exitCodeTable } from './exit-codes.ts';
import { Failure, formatFailure, isForeseen, ProgramEnded, toFailure } from './failure.ts';

export type BuildProgram = (io: Io) => Command | Promise<Command>;

export async function runTree(args: readonly string[], io: Io, build: BuildProgram): Promise<number> {
  const format = wantedFormat(args);
  try {
    const program = await build(io);
    await program.parseAsync([...args], { from: 'user' });
    return exitCode('ok');
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return exitCode('ok');
    if (error instanceof ProgramEnded) return error.status;
    const failure = error instanceof CommanderError ? usageFailure(error) : toFailure(error);
    if (failure.message) io.stderr(formatFailure(failure, format));
    if (!isForeseen(error) && !(error instanceof CommanderError) && error instanceof Error) {
      io.stderr(`${error.stack}\n`);
    }
    return exitCode(failure.exit);
  }
}

/** An empty tree with what holds for every command. */
export function newProgram(name: string, summary: string, io: Io): Command {
  return (
    new Command(name)
      .description(summary)
      .usage('<command> [options]')
      .exitOverride()
      // Errors are printed once, by runTree, in the format asked for.
      .configureOutput({ writeOut: io.stdout, writeErr: io.stdout, outputError: () => {} })
      .addHelpText('after', `\nExit codes:\n${exitCodeTable()}`)
  );
}

/** Read off the raw arguments: it must be known even when they cannot be parsed. */
function wantedFormat(args: readonly string[]): Format {
  const at = args.lastIndexOf('--format');
  return args.includes('--format=json') || (at >= 0 && args[at + 1] === 'json') ? 'json' : 'text';
}

/** Commander puts its suggestion on a line of its own; we give one line. Help that was printed needs no message. */
function usageFailure({ code, message }: CommanderError): Failure {
  if (code === 'commander.help') return new Failure('usage', '');
  return new Failure('usage', message.replace(/^error: /, '').replaceAll(/\s*\n\s*/g, ' '));
}
