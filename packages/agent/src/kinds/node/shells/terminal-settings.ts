/**
 * Reads how terminals are set, which Node itself cannot. One small shell runs `stty` for all of them: starting a process from
 * here would stop every other shell for milliseconds.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { systemEnvironment } from '../../../runtime/children/environment.ts';
import type { WithoutDescriptors } from '../../../runtime/children/without-descriptors.ts';

/** By the device's name: with the master as standard input, Node would make it block for us as well. */
const SCRIPT = 'while read -r device; do stty -F "$device" -g 2>/dev/null || echo none; done';
const ICANON = 0o2;
const ECHO = 0o10;
const LINE_BYTES = 1024;

export interface TerminalSettings {
  /** Whole lines are handed on, not single keys. */
  canonical: boolean;
  echo: boolean;
}

export interface SettingsReader {
  /** Undefined when they cannot be had. */
  read(device: string): Promise<TerminalSettings | undefined>;
  close(): void;
}

export function createSettingsReader(closer: WithoutDescriptors | undefined): SettingsReader {
  let child: ChildProcessByStdio<Writable, Readable, null> | undefined;
  let waiting: ((settings: TerminalSettings | undefined) => void)[] = [];
  let text = '';

  const giveUp = () => {
    child = undefined;
    text = '';
    for (const tell of waiting.splice(0)) tell(undefined);
  };
  const start = (without: WithoutDescriptors) => {
    const { file, args } = without('/bin/sh', ['-c', SCRIPT]);
    const started = spawn(file, args, { env: systemEnvironment(), cwd: '/', stdio: ['pipe', 'pipe', 'ignore'] });
    started.on('error', giveUp);
    started.on('exit', giveUp);
    started.stdin.on('error', () => {});
    started.stdout.on('data', (piece: Buffer) => {
      const lines = (text + piece.toString('latin1')).split('\n');
      text = (lines.pop() ?? '').slice(0, LINE_BYTES);
      for (const line of lines) waiting.shift()?.(settingsIn(line));
    });
    // Neither it nor its pipes keep an agent alive that has nothing else to do.
    started.unref();
    return started;
  };

  return {
    read(device) {
      if (!closer || !/^\/dev\/pts\/\d+$/.test(device)) return Promise.resolve(undefined);
      child ??= start(closer);
      const { stdin } = child;
      return new Promise((resolve) => {
        waiting.push(resolve);
        stdin.write(`${device}\n`);
      });
    },
    close() {
      child?.stdin.end();
      waiting = [];
    },
  };
}

function settingsIn(line: string): TerminalSettings | undefined {
  const local = Number.parseInt(line.split(':')[3] ?? '', 16);
  if (Number.isNaN(local)) return undefined;
  return { canonical: (local & ICANON) !== 0, echo: (local & ECHO) !== 0 };
}
