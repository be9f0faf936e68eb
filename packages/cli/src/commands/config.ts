/** `gatehouse config`: check it, show what is in effect, print the schema for editors, tell ssh of the gateway. */
import type { Command } from 'commander';
import { addCommand, addConfigFlags, addGroup, type CommandDeps, type Format, print } from '../command.ts';
import { table } from '../output/table.ts';
import { addSshConfigCommand } from '../ssh/config-ssh.ts';

type Options = Record<string, string> & { format: Format };

export function addConfigCommands(program: Command, { io, configFlags }: CommandDeps): void {
  const group = addGroup(program, {
    name: 'config',
    summary: 'Check and show the configuration, or tell ssh of the gateway.',
    examples: ['gatehouse config check', 'gatehouse config show'],
  });

  const check = addCommand(group, {
    name: 'check',
    summary: 'Say whether the gateway would start with this configuration, and name every problem with its line.',
    examples: ['gatehouse config check', 'gatehouse config check --config /etc/gatehouse.yaml --format json'],
  });
  addConfigFlags(check, configFlags).action(async ({ format, ...flags }: Options) => {
    const { loadConfig } = await import('@gatehouse/gateway/platform/config/load-config');
    const { formatProblem } = await import('@gatehouse/gateway/platform/config/config-error');
    const { preflight, requireNone } = await import('@gatehouse/gateway/compose/preflight/preflight');
    const loaded = loadConfig({ flags, env: io.env, cwd: io.cwd });
    const found = await preflight(loaded);
    requireNone(found);
    const { file } = loaded;
    const warnings = [...loaded.warnings, ...found.warnings];
    const shown = warnings.map((warning) => `warning: ${formatProblem(warning)}\n`).join('');
    print(io, format, { ok: true, file, warnings }, `${shown}OK${file ? `: ${file}` : ': no file, defaults apply'}\n`);
  });

  const show = addCommand(group, {
    name: 'show',
    summary: 'Print every key with its value and where it came from. Secrets stay hidden.',
    examples: ['gatehouse config show', 'GATEHOUSE_LISTEN=127.0.0.1:4000 gatehouse config show --format json'],
  });
  addConfigFlags(show, configFlags).action(async ({ format, ...flags }: Options) => {
    const { loadConfig } = await import('@gatehouse/gateway/platform/config/load-config');
    const { shownConfig } = await import('@gatehouse/gateway/platform/config/show-config');
    const shown = shownConfig(loadConfig({ flags, env: io.env, cwd: io.cwd }));
    const rows = shown.map(({ key, value, source }) => [key, valueText(value), source]);
    print(io, format, shown, table([['KEY', 'VALUE', 'FROM'], ...rows]));
  });

  addCommand(group, {
    name: 'schema',
    summary: 'Print the JSON schema of gatehouse.yaml, for editors.',
    examples: ['gatehouse config schema > gatehouse.schema.json'],
  }).action(async () => {
    const { configJsonSchema } = await import('@gatehouse/gateway/platform/config/json-schema');
    io.stdout(`${JSON.stringify(configJsonSchema(), null, 2)}\n`);
  });

  addSshConfigCommand(group, io);
}

function valueText(value: string | number | boolean | readonly string[] | undefined): string {
  if (value === undefined) return '-';
  return Array.isArray(value) ? value.join(', ') || '-' : String(value);
}
