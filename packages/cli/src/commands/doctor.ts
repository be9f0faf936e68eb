/** `gatehouse doctor`: says of each part of an installation whether it stands, and what to do. Changes nothing. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { printable } from '@gatehouse/contract/std/printable';
import type { Command } from 'commander';
import { addCommand, addConfigFlags, type CommandDeps, type Format, print } from '../command.ts';
import { ProgramEnded } from '../runtime/failure.ts';
import { LOCAL_AGENT_FOLDER, LOCAL_AGENT_LOG } from '../runtime/local-agent.ts';

type Options = Record<string, string> & { format: Format };
type CheckResult = import('@gatehouse/gateway/compose/doctor/check').CheckResult;
type Look = import('@gatehouse/gateway/compose/doctor/check').Look;

export function addDoctorCommand(program: Command, { io, configFlags }: CommandDeps): void {
  const doctor = addCommand(program, {
    name: 'doctor',
    summary: 'Look at every part of this installation, and say what is wrong and what to do. Changes nothing.',
    examples: ['gatehouse doctor', 'gatehouse doctor --config /etc/gatehouse.yaml --format json'],
  });
  addConfigFlags(doctor, configFlags).action(async ({ format, ...flags }: Options) => {
    const checks = await look(flags);
    print(io, format, { checks }, tell(checks));
    // What failed has been printed; the code alone is left to give.
    if (checks.some(({ ok }) => !ok)) throw new ProgramEnded(1);
  });

  async function look(flags: Record<string, string>): Promise<CheckResult[]> {
    const [{ loadConfig }, { examine }] = await Promise.all([
      import('@gatehouse/gateway/platform/config/load-config'),
      import('@gatehouse/gateway/compose/doctor/examine'),
    ]);
    let loaded: ReturnType<typeof loadConfig>;
    try {
      loaded = loadConfig({ flags, env: io.env, cwd: io.cwd });
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'ConfigError') throw error;
      const message = error.message.replaceAll(/\s*\n\s*/g, '; ');
      return [{ name: 'configuration', ok: false, message, next: 'mend it, and try: gatehouse config check' }];
    }
    const { file, config } = loaded;
    const from = file === undefined ? 'no file, defaults apply' : file;
    const { checks } = await examine(loaded, { 'local-agent': localAgent(config.dataDir) });
    return [{ name: 'configuration', ok: true, message: `can be read: ${from}` }, ...checks];
  }
}

/** Only this machine's own: whether others are connected, the gateway knows. */
function localAgent(dataDir: string): Look {
  return async () => {
    const { hasJoined, runningAgent } = await import('@gatehouse/agent/identity/process-note');
    const folder = join(dataDir, LOCAL_AGENT_FOLDER);
    const running = existsSync(folder) ? runningAgent(folder) : undefined;
    if (running) return { ok: true, message: `that of this machine runs (process ${running.pid})` };
    if (!existsSync(folder) || !hasJoined(folder))
      return { ok: true, message: 'none of its own on this machine; gatehouse start --local-agent runs one' };
    const log = join(folder, LOCAL_AGENT_LOG);
    return {
      ok: false,
      message: 'that of this machine has joined, and does not run',
      next: `gatehouse start --local-agent runs it; its log is ${log}. Not wanted any more: gatehouse agents rm, and remove ${folder}`,
    };
  };
}

function tell(checks: readonly CheckResult[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  return checks
    .map(({ name, ok, message, next }) => {
      const line = `${ok ? '✓' : '✗'} ${name.padEnd(width)}  ${printable(message)}\n`;
      return next === undefined ? line : `${line}${' '.repeat(width + 4)}→ ${printable(next)}\n`;
    })
    .join('');
}
