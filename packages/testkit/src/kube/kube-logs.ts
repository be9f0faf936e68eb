/** `pods/log`: what a container has printed, from where and as long as it is asked for. */
import type { ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { KubeFailure } from './kube-object.ts';
import type { KubeContainer, LogLine } from './kube-pods.ts';

/** A pod with this annotation prints as many bytes as it says, without an end where it says 0: for measurements. */
export const LOG_BYTES = 'gatehouse.test/log-bytes';
const BLOCK = Buffer.from(
  `${'the quick brown fox jumps over the lazy dog and prints a line of the usual length '.repeat(1)}\n`.repeat(400),
);

export function serveLog(
  response: ServerResponse,
  container: KubeContainer,
  query: URLSearchParams,
  bytes?: number,
): void {
  const is = (name: string) => query.get(name) === 'true';
  const numberOf = (name: string) => {
    const value = query.get(name);
    if (value !== null && !/^\d+$/.test(value))
      throw new KubeFailure(400, 'BadRequest', `${name}: Invalid value: "${value}"`);
    return value === null ? undefined : Number(value);
  };
  const [tail, seconds, limit] = [numberOf('tailLines'), numberOf('sinceSeconds'), numberOf('limitBytes')];
  if (is('previous') && container.previous === undefined) {
    throw new KubeFailure(400, 'BadRequest', `previous terminated container "${container.name}" not found`);
  }
  const since = seconds === undefined ? query.get('sinceTime') : new Date(Date.now() - seconds * 1_000).toISOString();
  const all = is('previous') ? (container.previous ?? []) : container.lines;
  const after = since === null ? all : all.filter(({ time }) => time >= since);
  const lines = tail === undefined ? after : after.slice(after.length - Math.min(tail, after.length));
  const write = ({ time, text }: LogLine) => `${is('timestamps') ? `${time} ` : ''}${text}\n`;
  response.writeHead(200, { 'Content-Type': 'text/plain', 'Cache-Control': 'no-cache, private' });
  response.flushHeaders();
  if (bytes !== undefined) {
    pipeline(Readable.from(blocks(bytes)), response, () => {});
    return;
  }
  const printed = lines.map(write).join('');
  const start = limit === undefined ? printed : Buffer.from(printed).subarray(0, limit).toString();
  if (start !== '') response.write(start);
  if (!is('follow') || is('previous') || container.exitCode !== undefined) {
    response.end();
    return;
  }
  const onLine = (line: LogLine) => void response.write(write(line));
  const onExit = () => response.end();
  container.on('line', onLine);
  container.once('exit', onExit);
  response.once('close', () => {
    container.off('line', onLine);
    container.off('exit', onExit);
  });
}

function* blocks(bytes: number): Generator<Buffer> {
  for (let left = bytes === 0 ? Number.POSITIVE_INFINITY : bytes; left > 0; left -= BLOCK.length) {
    yield left >= BLOCK.length ? BLOCK : BLOCK.subarray(0, left);
  }
}
