/** `gatehouse alerts`: what everybody sees after signing in. */
import { type Command, Option } from 'commander';
import { addCommand, addGroup, type CommandDeps, print } from '../command.ts';
import {
  addGatewayFlags,
  anyGateway,
  CURRENT,
  type GatewayOptions,
  type WhichGateway,
} from '../gateway/resolve-gateway.ts';
import { parseDurationSeconds } from '../input/duration.ts';
import { table } from '../output/table.ts';

type Severity = 'low' | 'medium' | 'high';
interface AddOptions extends GatewayOptions {
  severity: Severity;
  ttl: number;
  link?: string;
  name?: string;
}

export function addAlertCommands(program: Command, { io, configFlags }: CommandDeps): void {
  const group = addGroup(program, {
    name: 'alerts',
    summary: 'Post, list and take back the alerts that everybody sees after signing in.',
    examples: ['gatehouse alerts add "Maintenance tonight at 22:00"', 'gatehouse alerts ls'],
  });

  const add = addCommand(group, {
    name: 'add <message>',
    summary: 'Post an alert.',
    examples: [
      'gatehouse alerts add "Maintenance tonight at 22:00" --severity medium --ttl 12h',
      'gatehouse alerts add "New policy" --link https://wiki.example.com/policy --name policy',
    ],
  })
    .addOption(new Option('--severity <severity>', 'how loud').choices(['low', 'medium', 'high']).default('low'))
    .addOption(
      new Option('--ttl <duration>', 'how long it is shown').argParser(parseDurationSeconds).default(86_400, '1d'),
    )
    .option('--link <url>', 'where to read more')
    .option('--name <name>', 'name to take it back by; made up when left out');
  addGatewayFlags(add, configFlags).action(async (message: string, options: AddOptions) => {
    const { format, severity, ttl, link, name, ...flags } = options;
    const { call, clusterRoutes, send } = await connect(flags);
    const body = { message, severity, ttlSeconds: ttl, link, name };
    const posted = await call(send, clusterRoutes.postAlert, { params: CURRENT, body });
    print(io, format, posted, `alert '${posted.metadata.name}' posted\n`);
  });

  const list = addCommand(group, {
    name: 'ls',
    summary: 'List the alerts that are shown now.',
    examples: ['gatehouse alerts ls', 'gatehouse alerts ls --cluster east --format json'],
  });
  addGatewayFlags(list, configFlags).action(async ({ format, ...flags }: GatewayOptions) => {
    const { call, clusterRoutes, send } = await connect(flags);
    const { alerts } = await call(send, clusterRoutes.alerts, { params: CURRENT });
    const rows = alerts.map(({ metadata, spec }) => [
      metadata.name,
      severityName(spec.severity),
      metadata.expires ?? '-',
      spec.message,
    ]);
    print(
      io,
      format,
      alerts,
      rows.length === 0 ? 'no alerts\n' : table([['NAME', 'SEVERITY', 'UNTIL', 'MESSAGE'], ...rows]),
    );
  });

  const remove = addCommand(group, {
    name: 'rm <name>',
    summary: 'Take an alert back.',
    examples: ['gatehouse alerts rm policy'],
  });
  addGatewayFlags(remove, configFlags).action(async (name: string, { format, ...flags }: GatewayOptions) => {
    const { call, clusterRoutes, send } = await connect(flags);
    const done = await call(send, clusterRoutes.removeAlert, { params: { ...CURRENT, name } });
    print(io, format, done, `alert '${name}' removed\n`);
  });

  async function connect(flags: WhichGateway) {
    const [{ call }, { clusterRoutes }, send] = await Promise.all([
      import('@gatehouse/contract/wire/client'),
      import('@gatehouse/contract/console/clusters'),
      anyGateway(io, flags),
    ]);
    return { call, clusterRoutes, send };
  }
}

function severityName(severity: number): Severity {
  if (severity < 5) return 'low';
  return severity < 10 ? 'medium' : 'high';
}
