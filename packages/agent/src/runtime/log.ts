/** What the agent tells its operator: one line each on standard error, as JSON or for people. */
import { printable } from '@gatehouse/contract/std/printable';

type Write = (fields: object, message: string) => void;

export interface AgentLog {
  debug: Write;
  info: Write;
  warn: Write;
}

const LEVELS = ['debug', 'info', 'warn'] as const;

export const AGENT_LOG_FORMATS = ['json', 'pretty'] as const;
export type AgentLogFormat = (typeof AGENT_LOG_FORMATS)[number];

export interface LogOptions {
  format: AgentLogFormat;
  /** Below this nothing is written. */
  level?: (typeof LEVELS)[number];
  write(line: string): void;
  now?: () => Date;
}

export function createAgentLog({ format, level = 'info', write, now = () => new Date() }: LogOptions): AgentLog {
  const writer = (name: (typeof LEVELS)[number]): Write => {
    if (LEVELS.indexOf(name) < LEVELS.indexOf(level)) return () => {};
    return (fields, message) => {
      const time = now().toISOString();
      if (format === 'json') write(`${JSON.stringify({ level: name, time, ...fields, msg: message })}\n`);
      else write(`${printable(`${time} ${name} ${message}${inWords(fields)}`)}\n`);
    };
  };
  return { debug: writer('debug'), info: writer('info'), warn: writer('warn') };
}

export const silentLog: AgentLog = { debug() {}, info() {}, warn() {} };

/** Quoted: what a gateway or a command said must not be able to look like a line of ours. */
function inWords(fields: object): string {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}=${/^[\w.:/@-]+$/.test(String(value)) ? value : JSON.stringify(String(value))}`)
    .join('');
}
