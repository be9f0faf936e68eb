/** Makes the program's logger. Lines go to standard error: standard output belongs to what a command prints. */
import { createRequire } from 'node:module';
import { printable } from '@gatehouse/contract/std/printable';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { GatewayConfig } from '../config/resolve.ts';
import { scrubLine } from './scrub.ts';

export type GatewayLog = Logger;

const STANDARD_ERROR = 2;

export function createLog({ level, format }: GatewayConfig['log'], destination?: DestinationStream): GatewayLog {
  const target = destination ?? pino.destination({ dest: STANDARD_ERROR, sync: true });
  const colorize = destination === undefined && process.stderr.isTTY;
  return pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: pino.stdSerializers.err, err: pino.stdSerializers.err },
      hooks: { streamWrite: scrubLine },
    },
    format === 'pretty' ? prettyStream(target, colorize) : target,
  );
}

/** Loaded only when wanted: a gateway that logs JSON starts without it. */
function prettyStream(destination: DestinationStream, colorize: boolean): DestinationStream {
  const { prettyFactory }: typeof import('pino-pretty') = createRequire(import.meta.url)('pino-pretty');
  const format = prettyFactory({ colorize, translateTime: 'SYS:HH:MM:ss.l', errorLikeObjectKeys: ['error', 'err'] });
  return { write: (line) => destination.write(format(readable(line)) ?? line) };
}

/** What callers said must not steer the terminal of whoever reads, nor look like a line of ours. */
function readable(line: string): string | object {
  try {
    return printableIn(JSON.parse(line)) as object;
  } catch {
    return printable(line);
  }
}

function printableIn(value: unknown, name = ''): unknown {
  if (typeof value === 'string')
    return name === 'stack' ? value.split('\n').map(printable).join('\n') : printable(value);
  if (Array.isArray(value)) return value.map((item) => printableIn(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [printable(key), printableIn(inner, key)]));
}
