/** The whole command tree, and one run of it from arguments to exit code. */
import { Command, CommanderError } from 'commander';
import type { CommandParts, Format, Io } from './command.ts';
import { addAccessCommands } from './commands/access.ts';
import { addAgentCommand } from './commands/agent.ts';
import { addAlertCommands } from './commands/alerts.ts';
import { addApiTokenCommands } from './commands/api-tokens.ts';
import { addApplyCommands } from './commands/apply.ts';
import { addCompletionCommand } from './commands/completion.ts';
import { addConfigCommands } from './commands/config.ts';
import { addLockCommands } from './commands/locks.ts';
import { addLoginCommands } from './commands/login.ts';
import { addRoleCommands } from './commands/roles.ts';
import { addSecretsCommands } from './commands/secrets.ts';
import { addStartCommand } from './commands/start.ts';
import { addUserCommands } from './commands/users.ts';
import { addVersionCommand } from './commands/version.ts';
import { exitCode, exitCodeTable } from './exit-codes.ts';
import { Failure, formatFailure, isForeseen, toFailure } from './failure.ts';

export async function runProgram(args: readonly string[], io: Io): Promise<number> {
  const format = wantedFormat(args);
  try {
    const program = await buildProgram(io);
    await program.parseAsync([...args], { from: 'user' });
    return exitCode('ok');
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return exitCode('ok');
    const failure = error instanceof CommanderError ? usageFailure(error) : toFailure(error);
    if (failure.message) io.stderr(formatFailure(failure, format));
    if (!isForeseen(error) && !(error instanceof CommanderError) && error instanceof Error) {
      io.stderr(`${error.stack}\n`);
    }
    return exitCode(failure.exit);
  }
}

export async function buildProgram(io: Io): Promise<Command> {
  const { CONFIG_FLAGS } = await import('@gatehouse/gateway/config/flags');
  const program = new Command('gatehouse')
    .description('Reach servers, applications, clusters, databases and desktops through one gateway.')
    .usage('<command> [options]')
    .exitOverride()
    // Errors are printed once, by runProgram, in the format asked for.
    .configureOutput({ writeOut: io.stdout, writeErr: io.stdout, outputError: () => {} })
    .addHelpText('after', `\nExit codes:\n${exitCodeTable()}`);
  const parts: CommandParts = { io, configFlags: CONFIG_FLAGS };
  addStartCommand(program, parts);
  addAgentCommand(program, parts);
  addConfigCommands(program, parts);
  addLoginCommands(program, parts);
  addApiTokenCommands(program, parts);
  addUserCommands(program, parts);
  addRoleCommands(program, parts);
  addLockCommands(program, parts);
  addAccessCommands(program, parts);
  addApplyCommands(program, parts);
  addAlertCommands(program, parts);
  addSecretsCommands(program, parts);
  addCompletionCommand(program, parts);
  addVersionCommand(program, parts);
  return program;
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
