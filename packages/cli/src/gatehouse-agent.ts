#!/usr/bin/env node
/** The command of machines where only the agent is installed: `gatehouse-agent agent …`, from the archive of tools/agent-archives.mjs. */
import { addAgentCommand } from './commands/agent.ts';
import { addVersionCommand } from './commands/version.ts';
import { newProgram } from './runtime/run-tree.ts';
import { startProcess } from './runtime/start-process.ts';

await startProcess('gatehouse-agent', (io) => {
  const program = newProgram('gatehouse-agent', 'Let a gateway reach this machine.', io);
  addAgentCommand(program, { io, configFlags: [] });
  addVersionCommand(program, { io, configFlags: [] });
  return program;
});
