/** The whole command tree. */
import type { Command } from 'commander';
import type { CommandDeps, Io } from './command.ts';
import { addAccessCommands } from './commands/access.ts';
import { addAgentCommand } from './commands/agent.ts';
import { addAgentsCommands } from './commands/agents.ts';
import { addAlertCommands } from './commands/alerts.ts';
import { addApiTokenCommands } from './commands/api-tokens.ts';
import { addApplyCommands } from './commands/apply.ts';
import { addAuditCommands } from './commands/audit.ts';
import { addBackupCommands } from './commands/backup.ts';
import { addClusterCommands } from './commands/clusters.ts';
import { addCompletionCommand } from './commands/completion.ts';
import { addConfigCommands } from './commands/config.ts';
import { addConnectorCommands } from './commands/connectors.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addLockCommands } from './commands/locks.ts';
import { addLoginCommands } from './commands/login.ts';
import { addNamesCommand } from './commands/names.ts';
import { addProxyCommands } from './commands/proxy.ts';
import { addRecordingCommands } from './commands/recordings.ts';
import { addRoleCommands } from './commands/roles.ts';
import { addSecretsCommands } from './commands/secrets.ts';
import { addSessionCommands } from './commands/sessions.ts';
import { addSshAuthorityCommands } from './commands/ssh-authorities.ts';
import { addStartCommand } from './commands/start.ts';
import { addTokenCommands } from './commands/tokens.ts';
import { addUserCommands } from './commands/users.ts';
import { addVersionCommand } from './commands/version.ts';
import { addKindCommands } from './kinds/kinds.ts';
import { newProgram, runTree } from './runtime/run-tree.ts';
import { addHeadlessCommands } from './ssh/headless.ts';
import { renewSshKeys } from './ssh/renew.ts';

export async function buildProgram(io: Io): Promise<Command> {
  const { CONFIG_FLAGS } = await import('@gatehouse/gateway/platform/config/flags');
  const summary = 'Reach servers, applications, clusters, databases and desktops through one gateway.';
  const program = newProgram('gatehouse', summary, io);
  const parts: CommandDeps = { io, configFlags: CONFIG_FLAGS };
  addStartCommand(program, parts);
  addAgentCommand(program, parts);
  addConfigCommands(program, parts);
  addDoctorCommand(program, parts);
  addLoginCommands(program, parts);
  addApiTokenCommands(program, parts);
  addUserCommands(program, parts);
  addRoleCommands(program, parts);
  addConnectorCommands(program, parts);
  addLockCommands(program, parts);
  addKindCommands(program, parts);
  addProxyCommands(program, parts);
  addHeadlessCommands(program, parts);
  addSessionCommands(program, parts);
  addTokenCommands(program, parts);
  addAgentsCommands(program, parts);
  addSshAuthorityCommands(program, parts);
  addClusterCommands(program, parts);
  addAccessCommands(program, parts);
  addApplyCommands(program, parts);
  addAuditCommands(program, parts);
  addRecordingCommands(program, parts);
  addAlertCommands(program, parts);
  addBackupCommands(program, parts);
  addSecretsCommands(program, parts);
  addNamesCommand(program, parts);
  addCompletionCommand(program, parts);
  addVersionCommand(program, parts);
  program.hook('postAction', () => renewSshKeys(io));
  return program;
}

export async function runProgram(args: readonly string[], io: Io): Promise<number> {
  return await runTree(args, io, buildProgram);
}
