/** Makes the program's logger. Lines go to standard error: standard output belongs to what a command prints. */
import { createRequire } from 'node:module';
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
  return { write: (line) => destination.write(format(line) ?? line) };
}
