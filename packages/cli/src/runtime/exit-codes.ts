/** What the exit code of every command means. Scripts rely on these: a number is never given another meaning. */

export const EXIT_CODES = {
  ok: [0, 'done'],
  failed: [1, 'it did not work; the message says why'],
  usage: [2, 'the command line, or a value on it, is not valid'],
  config: [3, 'the configuration is not valid'],
  notFound: [4, 'the thing named does not exist'],
  denied: [5, 'not allowed'],
  unreachable: [6, 'no gateway answers'],
  conflict: [7, 'it exists already, or somebody changed it meanwhile'],
  target: [8, 'the gateway answers, the server or application behind it does not'],
  store: [9, 'the gateway answers, its store does not'],
} as const satisfies Record<string, readonly [number, string]>;

export type ExitName = keyof typeof EXIT_CODES;

export function exitCode(name: ExitName): number {
  return EXIT_CODES[name][0];
}

export function exitCodeTable(): string {
  return Object.values(EXIT_CODES)
    .map(([code, meaning]) => `  ${code}  ${meaning}`)
    .join('\n');
}
