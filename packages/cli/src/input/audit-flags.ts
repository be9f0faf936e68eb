/** The flags that narrow a search of the audit log, and the query they stand for. */
import type { Command } from 'commander';
import { Failure } from '../runtime/failure.ts';
import { parseDurationSeconds } from './duration.ts';

export interface EventFlags {
  from?: string;
  to?: string;
  type?: string;
  code?: string;
  severity?: string;
  user?: string;
  resource?: string;
  session?: string;
  address?: string;
  search?: string;
}

export function addEventFlags(command: Command, { range = true } = {}): Command {
  if (range) {
    command
      .option('--from <time>', 'from this time on, or so long ago: 2026-01-31T12:00:00Z, 24h, 7d')
      .option('--to <time>', 'up to this time');
  }
  return command
    .option('--type <names>', 'event names, separated by commas')
    .option('--code <codes>', 'event codes, separated by commas')
    .option('--severity <names>', 'info, warning or error, separated by commas')
    .option('--user <name>', 'who did it')
    .option('--resource <kind/name>', 'what it is about: node/web-1, user/ann')
    .option('--session <id>', 'the session it belongs to')
    .option('--address <address>', 'where it came from')
    .option('--search <words>', 'words anywhere in the event; kube* for beginnings');
}

export function eventQuery(flags: EventFlags) {
  const [resourceKind, ...name] = (flags.resource ?? '').split('/');
  const given = {
    from: timeGiven(flags.from),
    to: timeGiven(flags.to),
    include: flags.type,
    code: flags.code,
    severity: flags.severity,
    user: flags.user,
    resourceKind: resourceKind || undefined,
    resourceName: name.join('/') || undefined,
    session: flags.session,
    address: flags.address,
    search: flags.search,
  };
  return given;
}

/** `24h` is that long ago. */
export function timeGiven(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (/^\d+[smhd]$/.test(text)) return new Date(Date.now() - parseDurationSeconds(text) * 1000).toISOString();
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new Failure('usage', `'${text}' is no time: write 2026-01-31T12:00:00Z, or 24h`);
  return new Date(time).toISOString();
}
